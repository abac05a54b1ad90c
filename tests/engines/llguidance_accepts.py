"""Asks llguidance which texts an emitted Lark grammar accepts, and reports where it disagrees.

Reads JSON lines {"id", "kind", "grammar", "text", "expected"} from the file named as the first
argument; kinds other than "lark" are passed over. Prints each disagreement and each refused
grammar as a JSON line, then one line {"summary": {...}}; the exit code is 1 if there was any.
"""

import json
import sys

from llguidance import LLMatcher, LLTokenizer

import known


def main():
    tokenizer = LLTokenizer("byte")  # token n is byte n
    cases = known.Cases(sys.argv[1], {"lark"})
    for case in cases:
        try:
            matcher = cases.compiled(case, lambda text: compiled(tokenizer, text))
        except ValueError as error:
            cases.refuse(case, str(error))
            continue
        matcher = matcher.deep_copy()
        tokens = list(case["text"].encode())
        got = matcher.validate_tokens(tokens) == len(tokens)
        got = got and matcher.consume_tokens(tokens) and matcher.is_accepting()
        cases.judge(case, bool(got))
    return cases.finish()


def compiled(tokenizer, grammar):
    matcher = LLMatcher(tokenizer, grammar)
    if matcher.is_error():
        raise ValueError(matcher.get_error())
    return matcher


if __name__ == "__main__":
    sys.exit(main())
