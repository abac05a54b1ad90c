"""Asks the package gbnf, a reader of llama.cpp's grammars, which texts an emitted one accepts.

Reads JSON lines {"id", "kind", "grammar", "text", "expected"} from the file named as the first
argument; kinds other than "gbnf" are passed over. Prints each disagreement and each refused
grammar as a JSON line, then one line {"summary": {...}}; the exit code is 1 if there was any.
"""

import sys

from gbnf import GBNF, InputParseError, RuleEnd

import known


def main():
    cases = known.Cases(sys.argv[1], {"gbnf"})
    for case in cases:
        try:
            state = cases.compiled(case, GBNF)
        except Exception as error:  # it has no one type for what it does not read
            cases.refuse(case, f"{type(error).__name__}: {error}")
            continue
        try:
            if case["text"]:
                state = state + case["text"]
            got = any(isinstance(rule, RuleEnd) for rule in state)
        except (InputParseError, IndexError):  # the second while it words the first
            got = False
        cases.judge(case, got)
    return cases.finish()


if __name__ == "__main__":
    sys.exit(main())
