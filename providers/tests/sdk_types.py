"""Checks request bodies against the types of the official SDKs and of the servers' own classes.

    sdk_types.py intents > intents.jsonl
    blueprint request --cases intents.jsonl > requests.jsonl
    sdk_types.py check intents.jsonl requests.jsonl

`intents` prints one line for each provider and intent. `check` takes those lines and what the
command made of them, and prints each body that an SDK does not take, then one line
{"summary": {...}}; the exit code is 1 if there was any. A provider without an installed package is
counted as skipped, unless --require names it.

Install: `pip install openai anthropic google-genai ollama`; for SGLang's classes
`pip install --no-deps sglang` and `pip install msgspec numpy`. vLLM needs no build for its classes: with
`--vllm FOLDER` they are taken from an unpacked source distribution.
"""

import argparse
import collections.abc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys
import types
import typing

import typing_extensions

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "home": {"$ref": "#/$defs/place", "description": "where"},
    },
    "required": ["name"],
    "$defs": {"place": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}},
}
TREE = {
    "type": "object",
    "properties": {"value": {"type": "number"}, "next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
    "required": ["value"],
}
TOOLS = [
    {"name": "get_weather", "description": "Weather now",
     "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}},
    {"name": "get_time", "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}}},
]
TAG = {"format": {"type": "triggered_tags", "triggers": ["<call>"], "tags": [
    {"type": "tag", "begin": "<call>", "content": {"type": "json_schema", "json_schema": PERSON}, "end": "</call>"},
], "at_least_one": True, "stop_after_first": False}}
INTENTS = {
    "text": {"kind": "text"},
    "object": {"kind": "json_object"},
    "person": {"kind": "json_schema", "name": "person", "description": "A person", "schema": PERSON},
    "tree": {"kind": "json_schema", "schema": TREE},
    "list": {"kind": "json_schema", "schema": {"type": "array", "items": {"type": "number", "minimum": 0}}},
    "union": {"kind": "json_schema", "schema": {"oneOf": [{"type": "string"}, {"const": 3}]}},
    "choice": {"kind": "choice", "choices": ["yes", "no", "it's \"fine\""]},
    "regex": {"kind": "regex", "pattern": "[A-Z]{2}[0-9]+", "allow_json_wrap": True},
    "ebnf": {"kind": "grammar", "syntax": "ebnf", "grammar": "root ::= \"a\"+\n"},
    "gbnf": {"kind": "grammar", "syntax": "gbnf", "grammar": "root ::= \"a\"+\n"},
    "lark": {"kind": "grammar", "syntax": "lark", "grammar": "start: \"a\"+\n"},
    "tag": {"kind": "structural_tag", "structural_tag": TAG},
    "tools": {"kind": "tools", "tools": TOOLS},
    "tools_auto": {"kind": "tools", "tools": TOOLS, "tool_choice": "auto", "strict": True},
    "tools_none": {"kind": "tools", "tools": TOOLS, "tool_choice": "none"},
    "tools_required": {"kind": "tools", "tools": TOOLS, "tool_choice": "required", "strict": True},
    "tools_named": {"kind": "tools", "tools": TOOLS, "tool_choice": {"name": "get_time"}, "strict": False},
    "schema_and_tools": {"kind": "json_schema", "schema": PERSON, "also": {"kind": "tools", "tools": TOOLS}},
    "effort": {"kind": "json_schema", "schema": PERSON, "effort": "low", "thinking": True},
}
PROVIDERS = [
    "openai_chat", "openai_responses", "anthropic", "gemini", "gemini_interactions", "ollama", "webllm",
    "vllm", "sglang", "sglang_native", "llamacpp_chat", "llamacpp_completion", "tgi_generate", "tgi_chat",
    "mistralrs", "lmstudio_rest", "lmstudio_sdk",
]
POLICIES = ["error", "describe", "degrade"]


def print_intents():
    for provider in PROVIDERS:
        for name, intent in INTENTS.items():
            for policy in POLICIES:
                intent = {**intent, "on_unsupported": policy}
                line = {"id": f"{provider}/{name}/{policy}", "provider": provider, "intent": intent}
                print(json.dumps(line))


def fault(value, kind, at="body"):
    """Says where a value is not of a type as the SDKs write types, or None.

    Unlike pydantic, a member that a TypedDict does not have is a fault.
    """
    origin, arguments = typing_extensions.get_origin(kind), typing_extensions.get_args(kind)
    wrappers = (typing.Required, typing.NotRequired, typing_extensions.Required,
                typing_extensions.NotRequired, typing_extensions.ReadOnly, typing.Annotated)
    if kind in (typing.Any, object):
        return None
    if isinstance(kind, (typing_extensions.TypeAliasType, getattr(typing, "TypeAliasType", ()))):
        return fault(value, kind.__value__, at)
    if hasattr(kind, "__supertype__"):
        return fault(value, kind.__supertype__, at)
    if origin in wrappers:
        return fault(value, arguments[0], at)
    if origin in (typing.Union, types.UnionType):
        faults = [fault(value, one, at) for one in arguments]
        deepest = max((own for own in faults if own), key=lambda own: own.count(".") + own.count("["),
                      default=None)
        return None if None in faults else deepest
    if origin in (typing.Literal, typing_extensions.Literal):
        return None if value in arguments else f"{at}: {value!r} is none of {arguments}"
    if origin in (list, collections.abc.Iterable, collections.abc.Sequence):
        if not isinstance(value, list):
            return f"{at}: {value!r} is no list"
        return first(fault(item, arguments[0], f"{at}[{n}]") for n, item in enumerate(value))
    if origin in (dict, collections.abc.Mapping):
        if not isinstance(value, dict):
            return f"{at}: {value!r} is no object"
        return first(fault(item, arguments[1], f"{at}.{name}") for name, item in value.items())
    if typing_extensions.is_typeddict(kind):
        return typed_dict_fault(value, kind, at)
    if isinstance(kind, type) and hasattr(kind, "model_validate"):
        try:
            kind.model_validate(value)
            return None
        except ValueError as error:
            return f"{at}: {error}"
    plain = {str: str, bool: bool, int: int, float: (int, float), type(None): type(None), None: type(None),
             dict: dict, list: list}
    if kind in plain:
        if isinstance(value, bool) and kind in (int, float):
            return f"{at}: {value!r} is no number"
        return None if isinstance(value, plain[kind]) else f"{at}: {value!r} is no {kind}"
    if isinstance(kind, type):
        return None if isinstance(value, kind) else f"{at}: {value!r} is no {kind}"
    raise TypeError(f"{at}: a type that this script does not know: {kind!r}")


def typed_dict_fault(value, kind, at):
    if not isinstance(value, dict):
        return f"{at}: {value!r} is no object"
    hints = typing_extensions.get_type_hints(kind, include_extras=True)
    # Not `__required_keys__`: it is wrong where annotations are texts.
    optional = (typing.NotRequired, typing_extensions.NotRequired)
    required = (typing.Required, typing_extensions.Required)
    needed = [name for name, hint in hints.items()
              if typing_extensions.get_origin(hint) in required
              or (kind.__total__ and typing_extensions.get_origin(hint) not in optional)]
    lacking = [name for name in needed if name not in value]
    if lacking:
        return f"{at}: no {', '.join(sorted(lacking))}"
    # `schema_` and the like stand for names that Python's classes cannot have.
    known = {name.rstrip("_"): hint for name, hint in hints.items()} | hints
    for name, item in value.items():
        if name not in known:
            return f"{at}: {kind.__name__} has no {name}"
        found = fault(item, known[name], f"{at}.{name}")
        if found:
            return found
    return None


def first(faults):
    return next((own for own in faults if own), None)


MESSAGES = [{"role": "user", "content": "hello"}]


def openai_chat():
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming as kind
    return lambda fields: fault({"model": "m", "messages": MESSAGES, **fields}, kind)


def openai_responses():
    from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming as kind
    return lambda fields: fault({"model": "m", "input": "hello", **fields}, kind)


def anthropic():
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming as kind
    return lambda fields: fault({"model": "m", "max_tokens": 9, "messages": MESSAGES, **fields}, kind)


def gemini():
    from google.genai import models, types as kinds

    def check(fields):
        config = dict(fields.get("generationConfig", {}))
        config.update((name, fields[name]) for name in ("tools", "toolConfig") if name in fields)
        try:
            parsed = kinds.GenerateContentConfig.model_validate(config)
            body = {}
            own = models._GenerateContentConfig_to_mldev(None, parsed, body)
        except ValueError as error:
            return str(error)
        plain = lambda value: json.loads(json.dumps(value, default=lambda own: own.model_dump(
            mode="json", by_alias=True, exclude_none=True)))
        got = {**({"generationConfig": own} if own else {}), **body}
        return None if plain(got) == fields else f"the SDK sends {plain(got)}"

    return check


def gemini_interactions():
    from google.genai._gaos.types.interactions.createmodelinteraction import (
        CreateModelInteraction, CreateModelInteractionParam as kind)

    def check(fields):
        body = {"model": "gemini-3-flash-preview", "input": "hello", **fields}
        try:
            CreateModelInteraction.model_validate(body)
        except ValueError as error:
            return str(error)
        return fault(body, kind)

    return check


def ollama():
    from ollama._types import ChatRequest

    def check(fields):
        body = {"model": "m", "messages": MESSAGES, **fields}
        try:
            sent = ChatRequest.model_validate(body).model_dump(exclude_none=True)
        except ValueError as error:
            return str(error)
        # Tools lose the keywords that the server would not read either.
        own = {name: sent.get(name) for name in fields if name != "tools"}
        wanted = {name: value for name, value in fields.items() if name != "tools"}
        return None if own == wanted else f"the SDK sends {own}"

    return check


class Absent(types.ModuleType):
    """A module in which every name is a class that does nothing."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {"__init__": lambda self, *args, **kwargs: None,
                               "__class_getitem__": classmethod(lambda cls, item: cls)})
        setattr(self, name, made)
        return made


class AbsentFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules that the request classes do not need, once they were missed."""

    def __init__(self):
        self.names = set()

    def find_spec(self, name, path, target=None):
        if name in self.names or name.split(".")[0] in self.names:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        module.__version__ = "0"


def classes_of(root, module, packages, absent=()):
    """A module of a server, without its packages' own start and without what it needs to run."""
    finder = AbsentFinder()
    finder.names.update(absent)
    sys.meta_path.insert(0, finder)
    for name in packages:
        package = types.ModuleType(name)
        package.__path__ = [os.path.join(root, *name.split("."))]
        sys.modules[name] = package
    for _ in range(60):
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if not error.name or error.name in finder.names:
                raise
            finder.names.add(error.name)
    raise ImportError(module)


def sglang_root():
    spec = importlib.util.find_spec("sglang")
    if spec is None:
        raise ModuleNotFoundError("sglang")
    return os.path.dirname(spec.submodule_search_locations[0])


SGLANG = ["sglang", "sglang.srt", "sglang.srt.entrypoints", "sglang.srt.entrypoints.openai", "sglang.srt.sampling"]


def sglang():
    module = classes_of(sglang_root(), "sglang.srt.entrypoints.openai.protocol", SGLANG, ["sglang.utils", "torch"])
    return lambda fields: model_fault(module.ChatCompletionRequest, {"model": "m", "messages": MESSAGES, **fields})


def model_fault(kind, body):
    try:
        parsed = kind.model_validate(body)
    except ValueError as error:
        return str(error)
    unknown = [name for name in body if name not in type(parsed).model_fields]
    return f"the class has no {', '.join(unknown)}" if unknown else None


def vllm(folder):
    packages = ["vllm", "vllm.entrypoints", "vllm.entrypoints.generate", "vllm.entrypoints.generate.base",
                "vllm.entrypoints.openai", "vllm.entrypoints.openai.chat_completion", "vllm.entrypoints.serve",
                "vllm.entrypoints.serve.engine", "vllm.v1"]
    # msgspec wants bases without a start of their own.
    mixin = types.ModuleType("vllm.v1.serial_utils")
    mixin.PydanticMsgspecMixin = type("PydanticMsgspecMixin", (), {})
    sys.modules[mixin.__name__] = mixin
    absent = ["vllm.config", "vllm.tokenizers", "vllm.utils", "vllm.logger", "vllm.renderers",
              "vllm.outputs", "vllm.logprobs", "torch", "transformers"]
    base = classes_of(folder, "vllm.entrypoints.generate.base.protocol", packages, absent)

    def check(fields):
        fields = dict(fields)
        if "response_format" in fields:
            kind = fields.pop("response_format")
            choices = [base.ResponseFormat, base.StructuralTagResponseFormat]
            faults = [model_fault(own, kind) for own in choices]
            if None not in faults:
                return "; ".join(faults)
        if "structured_outputs" in fields:
            try:
                base.StructuredOutputsParams(**fields.pop("structured_outputs"))
            except (TypeError, ValueError) as error:
                return str(error)
        for tool in fields.pop("tools", []):
            found = model_fault(base.FunctionDefinition, tool["function"])
            if found or tool["type"] != "function":
                return found
        choice = fields.pop("tool_choice", "auto")
        known = choice in ("none", "auto", "required") or set(choice) == {"type", "function"}
        return None if known and not fields else f"unknown: {choice}, {fields}"

    return check


def checkers(arguments):
    found, skipped = {}, {}
    makers = {
        "openai_chat": openai_chat, "openai_responses": openai_responses, "anthropic": anthropic,
        "gemini": gemini, "gemini_interactions": gemini_interactions, "ollama": ollama, "sglang": sglang,
    }
    if arguments.vllm:
        makers["vllm"] = lambda: vllm(arguments.vllm)
    for name, maker in makers.items():
        try:
            found[name] = maker()
        except ImportError as error:
            skipped[name] = str(error)
    return found, skipped


def check(arguments):
    found, skipped = checkers(arguments)
    for name in arguments.require:
        if name in skipped or name not in found:
            print(json.dumps({"required": name, "missing": skipped.get(name, "no checker")}))
            return 1
    requests = {}
    for line in open(arguments.requests, encoding="utf-8"):
        request = json.loads(line)
        requests[request.get("id")] = request
    counts, failures = {}, 0
    for line in open(arguments.cases, encoding="utf-8"):
        case = json.loads(line)
        request = requests[case["id"]]
        own = counts.setdefault(case["provider"], {"right": 0, "wrong": 0, "refused": 0, "skipped": 0})
        if "fields" not in request:
            own["refused"] += 1
            if case["intent"].get("on_unsupported") == "degrade":
                own["wrong"] += 1
                print(json.dumps({"id": case["id"], "fault": "an error while degrading", "error": request["error"]}))
            continue
        if case["provider"] not in found:
            own["skipped"] += 1
            continue
        wrong = found[case["provider"]](request["fields"])
        own["wrong" if wrong else "right"] += 1
        if wrong:
            print(json.dumps({"id": case["id"], "fault": wrong, "fields": request["fields"]}))
    failures = sum(own["wrong"] for own in counts.values())
    print(json.dumps({"summary": {"providers": counts, "not_installed": skipped}}))
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("intents")
    own = commands.add_parser("check")
    own.add_argument("cases")
    own.add_argument("requests")
    own.add_argument("--require", nargs="*", default=[])
    own.add_argument("--vllm", metavar="FOLDER")
    arguments = parser.parse_args()
    return print_intents() if arguments.command == "intents" else check(arguments)


if __name__ == "__main__":
    sys.exit(main())
