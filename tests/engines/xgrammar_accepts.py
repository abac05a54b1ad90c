"""Asks XGrammar which texts an emitted grammar accepts, and reports where it disagrees.

Reads JSON lines {"id", "kind", "grammar", "text", "expected"} from the file named as the one
argument, or from standard input; kinds other than "ebnf" and "structural_tag" are passed over.
Prints each disagreement and each refused grammar as a JSON line, then one line
{"summary": {...}}; the exit code is 1 if there was any.

XGrammar imports torch and transformers for jobs that this script does not need, so empty modules
stand in for them. Install: `pip install --no-deps xgrammar`, then its small dependencies,
`pip install apache-tvm-ffi pydantic numpy typing-extensions`.
"""

import importlib.abc
import importlib.machinery
import json
import sys
import types

import tvm_ffi  # noqa: F401  it looks for the real torch, so it comes before the stand-in

ABSENT = ("torch", "transformers")


class Absent(types.ModuleType):
    """A module in which every name is a class that does nothing."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {"__init__": lambda self, *args, **kwargs: None})
        setattr(self, name, made)
        return made


class AbsentFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the absent modules, and nothing else."""

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in ABSENT:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        module.__version__ = "0"


sys.meta_path.insert(0, AbsentFinder())

import xgrammar  # noqa: E402
from xgrammar.testing import _is_grammar_accept_string  # noqa: E402

READERS = {
    "ebnf": xgrammar.Grammar.from_ebnf,
    "structural_tag": xgrammar.Grammar.from_structural_tag,
}


def main():
    lines = open(sys.argv[1], encoding="utf-8") if len(sys.argv) > 1 else sys.stdin
    grammars, refused, failures = {}, set(), []
    counts = {"texts": 0, "accepted": 0, "rejected": 0, "agree": 0}
    for line in lines:
        if not line.strip():
            continue
        case = json.loads(line)
        key = (case["kind"], case["grammar"])
        if case["kind"] not in READERS or key in refused:
            continue
        if key not in grammars:
            try:
                grammars[key] = READERS[case["kind"]](case["grammar"])
                _is_grammar_accept_string(grammars[key], "")  # some faults show only here
            except Exception as error:
                refused.add(key)
                grammars.pop(key, None)
                failures.append({"id": case["id"], "kind": case["kind"],
                                 "refused": str(error).strip()[-400:],
                                 "grammar": case["grammar"]})
                continue
        got = _is_grammar_accept_string(grammars[key], case["text"])
        counts["texts"] += 1
        counts["accepted" if case["expected"] else "rejected"] += 1
        if got == case["expected"]:
            counts["agree"] += 1
        else:
            failures.append({**case, "got": got})
    for failure in failures:
        print(json.dumps(failure, ensure_ascii=False))
    counts["grammars"], counts["refused"] = len(grammars), len(refused)
    print(json.dumps({"summary": counts}))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
