"""Compares the catalog's structural tags with those that XGrammar's own builders make.

For each of the 19 families that XGrammar builds in, and each case of the shared data, both tags
judge the case's text, by XGrammar's matcher. Where they differ, `builtin_catalog.json` says which
one is right by the family's own chat template: {"differences": [{"family", "cases", "reason",
"right"}]}; an empty "cases" stands for all cases of the family. Prints each difference that is not
listed, each entry that no difference needs, and a line {"summary": {...}}; the exit code is 1 if
there was any. Takes the path of the command `blueprint`.
"""

import json
import os
import subprocess
import sys

import xgrammar_accepts  # noqa: F401  it lets XGrammar be imported
import xgrammar
from xgrammar import builtin_structural_tag as builtin
from xgrammar.testing import _is_grammar_accept_string

# XGrammar's name, ours, and whether the prompt has opened the reasoning.
FAMILIES = [
    ("llama", "llama_3_json", False), ("qwen_3", "qwen3", False), ("qwen_3", "qwen2_5", False),
    ("qwen_3", "qwq", True), ("qwen_3_5", "qwen3_5", True), ("qwen_3_coder", "qwen3_coder", False),
    ("mimo", "mimo_v2_6", False), ("exaone", "exaone_4", False), ("kimi", "kimi_k2", False),
    ("kimi_k3", "kimi_k3", True), ("deepseek_r1", "deepseek_v3", False),
    ("deepseek_v3_1", "deepseek_v3_1", True), ("deepseek_v3_2", "deepseek_v3_2", True),
    ("deepseek_v4", "deepseek_v4", True), ("deepseek_v4_1", "deepseek_v4_1", True),
    ("harmony", "harmony", False), ("harmony", "harmony_role_recipient", False),
    ("minimax", "minimax_m2", True), ("minimax_m3", "minimax_m3", False),
    ("glm_4_7", "glm_4_7", True), ("gemma_4", "gemma_4", False),
    ("cohere", "command_cofl", True),
]


def cases():
    here = os.path.dirname(os.path.abspath(__file__))
    shared = os.environ.get("BLUEPRINTS_SHARED", os.path.join(here, "../../../shared"))
    with open(os.path.join(shared, "data/toolcalls/cases.jsonl"), encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class Ours:
    """The catalog's tags, by what they are made of."""

    def __init__(self, command):
        self.command, self.known = command, {}

    def grammar(self, blueprint, context):
        key = json.dumps([blueprint, context])
        if key not in self.known:
            self.known[key] = self.make(blueprint, context)
        return self.known[key]

    def make(self, blueprint, context):
        arguments = [self.command, "compile", blueprint, "--to", "structural-tag"]
        for name, value in context.items():
            arguments += ["--json", f"{name}={json.dumps(value)}"]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ValueError(done.stderr.strip())
        return xgrammar.Grammar.from_structural_tag(json.dumps(spelled(json.loads(done.stdout))))


def spelled(part):
    """A tag with the spelling of each token in its place: here is no tokenizer."""
    if isinstance(part, list):
        return [spelled(item) for item in part]
    if not isinstance(part, dict):
        return part
    if part.get("type") == "token":
        return {"type": "const_string", "value": part["token"]}
    return {name: spelled(value) for name, value in part.items()}


def theirs(model, case, mode, opened):
    settings = case["settings"]
    on = "enabled" if opened else "auto"
    tag = builtin.get_model_structural_tag(
        model, tools=case["tools"], tool_choice=mode,
        reasoning=on if settings["reasoning"] == "on" else "disabled",
        parallel_tool_calls=settings["parallel_tool_calls"])
    return xgrammar.Grammar.from_structural_tag(tag)


def judged(make, texts):
    """Whether the grammar accepts one of the texts, or why there is none."""
    try:
        grammar = make()
        return any(_is_grammar_accept_string(grammar, text) for text in texts)
    except Exception as error:  # it has no one type for what it does not read
        return f"refused: {str(error)[-200:]}"


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "builtin_catalog.json"), encoding="utf-8") as file:
        listed = [dict(entry, used=False) for entry in json.load(file)["differences"]]
    ours, counts, failures = Ours(sys.argv[1]), {"texts": 0, "agree": 0, "listed": 0}, 0
    for model, blueprint, opened in FAMILIES:
        for case in (case for case in cases() if case["blueprint"] == blueprint):
            for mode in case["settings"]["tool_choice"]:
                context = {"tools": case["tools"], "tool_choice": mode,
                           "reasoning": case["settings"]["reasoning"]}
                text = case["output"]
                # Ours end with the stop token, theirs before it.
                ends = ["", *case["eos"].split(" / ")]
                here_says = judged(lambda: ours.grammar(blueprint, context),
                                   [text + end for end in ends])
                there_says = judged(lambda: theirs(model, case, mode, opened), [text])
                counts["texts"] += 1
                if here_says == there_says:
                    counts["agree"] += 1
                    continue
                entries = [entry for entry in listed if entry["family"] == blueprint
                           and (not entry["cases"] or case["id"] in entry["cases"])]
                if entries:
                    counts["listed"] += 1
                    entries[0]["used"] = True
                    continue
                failures += 1
                print(json.dumps({"family": blueprint, "id": case["id"], "mode": mode,
                                  "valid": case["valid"], "lenient": case.get("lenient", False),
                                  "ours": here_says, "theirs": there_says, "text": text},
                                 ensure_ascii=False))
    for entry in listed:
        if not entry.pop("used"):
            failures += 1
            print(json.dumps({"unneeded": entry}, ensure_ascii=False))
    print(json.dumps({"summary": counts}))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
