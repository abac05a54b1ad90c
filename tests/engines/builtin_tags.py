"""Prints the different structural tags that XGrammar's own builders make for 19 model families.

Each is a JSON line {"id", "tag"}.
"""

import collections
import json
import sys

import xgrammar_accepts  # noqa: F401  it lets XGrammar be imported
from xgrammar import Grammar
from xgrammar import builtin_structural_tag as builtin

MODELS = ["llama", "qwen_3", "qwen_3_5", "qwen_3_coder", "mimo", "exaone", "kimi", "kimi_k3",
          "deepseek_r1", "deepseek_v3_1", "deepseek_v3_2", "deepseek_v4", "deepseek_v4_1",
          "harmony", "minimax", "minimax_m3", "glm_4_7", "gemma_4", "cohere"]


def tool(name, properties):
    parameters = {"type": "object", "properties": properties, "required": list(properties)[:1],
                  "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TOOLS = [
    [],
    [tool("get", {"ok": {"type": "boolean"}})],
    [tool("get", {"ok": {"type": "boolean"}}), tool("set", {"x": {"type": "null"}, "y": True})],
]


def main():
    seen, refused = set(), collections.Counter()
    for model in MODELS:
        for number, tools in enumerate(TOOLS):
            choices = ["auto", "none"]
            if tools:
                choices += ["required", {"type": "function", "function": {"name": "get"}}]
            for choice in choices:
                for reasoning in ("enabled", "disabled", "auto"):
                    for parallel in (True, False):
                        try:
                            tag = builtin.get_model_structural_tag(
                                model, tools=tools, tool_choice=choice, reasoning=reasoning,
                                parallel_tool_calls=parallel)
                        except ValueError:
                            continue  # not every family has every switch
                        tag = tag.model_dump(mode="json", exclude_none=True)
                        try:
                            Grammar.from_structural_tag(json.dumps(tag))
                        except Exception as error:  # its errors have no class in common
                            refused[str(error).split(": ")[-1].strip()] += 1
                            continue
                        name = choice if isinstance(choice, str) else "get"
                        case = f"{model}, {number} tools, {name}, {reasoning}, {parallel}"
                        if json.dumps(tag) not in seen:
                            seen.add(json.dumps(tag))
                            print(json.dumps({"id": case, "tag": tag}))
    for reason, count in refused.items():
        print(f"XGrammar refuses {count} of its own tags: {reason}", file=sys.stderr)


if __name__ == "__main__":
    main()
