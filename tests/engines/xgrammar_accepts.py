"""Asks XGrammar which texts an emitted grammar accepts, and reports where it disagrees.

Reads JSON lines {"id", "kind", "grammar", "text", "expected"} from the file named as the one
argument; kinds other than "ebnf" and "structural_tag" are passed over. Prints each disagreement
and each refused grammar as a JSON line, then one line {"summary": {...}}; the exit code is 1 if
there was any.

XGrammar imports torch and transformers for jobs that this script does not need, so empty modules
stand in for them. Install: `pip install --no-deps xgrammar`, then its small dependencies,
`pip install apache-tvm-ffi pydantic numpy typing-extensions`.
"""

import importlib.abc
import importlib.machinery
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

import known  # noqa: E402

READERS = {
    "ebnf": xgrammar.Grammar.from_ebnf,
    "structural_tag": xgrammar.Grammar.from_structural_tag,
}


def compiled(case):
    grammar = READERS[case["kind"]](case["grammar"])
    _is_grammar_accept_string(grammar, "")  # some faults show only here
    return grammar


def main():
    cases = known.Cases(sys.argv[1], set(READERS))
    for case in cases:
        try:
            grammar = cases.compiled(case, lambda _: compiled(case))
        except Exception as error:  # it has no one type for what it does not read
            cases.refuse(case, str(error))
            continue
        cases.judge(case, _is_grammar_accept_string(grammar, case["text"]))
    return cases.finish()


if __name__ == "__main__":
    sys.exit(main())
