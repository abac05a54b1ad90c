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

import known  # noqa: E402

READERS = {
    "ebnf": xgrammar.Grammar.from_ebnf,
    "structural_tag": xgrammar.Grammar.from_structural_tag,
}


def compiled(compiler, case):
    """The grammar, compiled once for all its texts; some faults show only in the compiler."""
    return compiler.compile_grammar(READERS[case["kind"]](case["grammar"]))


def accepts(grammar, text):
    matcher = xgrammar.GrammarMatcher(grammar, terminate_without_stop_token=True)
    return matcher.accept_string(text) and matcher.is_terminated()


def main():
    cases = known.Cases(sys.argv[1], set(READERS))
    # Texts are asked about, not tokens, so no vocabulary is needed.
    compiler = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo([]), cache_enabled=False)
    for case in cases:
        try:
            grammar = cases.compiled(case, lambda _: compiled(compiler, case))
        except Exception as error:  # it has no one type for what it does not read
            cases.refuse(case, str(error))
            continue
        cases.judge(case, accepts(grammar, case["text"]))
    return cases.finish()


if __name__ == "__main__":
    sys.exit(main())
