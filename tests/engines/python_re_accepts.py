"""Asks Python's `re` which texts emitted regular expressions accept, and reports disagreements.

Reads the lines of kind "regex" among JSON lines {"id", "kind", "grammar", "text", "expected"} from
the file named as the one argument, or from standard input. Prints each disagreement as a JSON
line, then one line {"summary": {...}}; the exit code is 1 if there was any.
"""

import json
import re
import sys
import warnings

# A pattern that Python may read otherwise one day is a fault.
warnings.simplefilter("error", FutureWarning)


def main():
    lines = open(sys.argv[1], encoding="utf-8") if len(sys.argv) > 1 else sys.stdin
    patterns, failures, agree = {}, 0, 0
    for case in map(json.loads, filter(str.strip, lines)):
        if case["kind"] != "regex":
            continue
        try:
            pattern = patterns.get(case["grammar"]) or re.compile(case["grammar"])
            got = pattern.fullmatch(case["text"]) is not None
        except (re.error, FutureWarning) as error:
            pattern, got = None, str(error)
        patterns[case["grammar"]] = pattern
        agree += got == case["expected"]
        if got != case["expected"]:
            failures += 1
            print(json.dumps({**case, "got": got}, ensure_ascii=False))
    summary = {"texts": agree + failures, "agree": agree, "patterns": len(patterns)}
    print(json.dumps({"summary": summary}))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
