"""Asks Python's `re` which texts emitted regular expressions accept, and reports disagreements.

Reads the lines of kind "regex" among JSON lines {"id", "kind", "grammar", "text", "expected"} from
the file named as the one argument, or from standard input. Prints each disagreement as a JSON
line, then one line {"summary": {...}}; the exit code is 1 if there was any.
"""

import json
import re
import signal
import sys
import warnings

# A pattern that Python may read otherwise one day is a fault.
warnings.simplefilter("error", FutureWarning)


# Python's matcher tries ways one after the other: some patterns take for ever to refuse a text.
# A pattern that needs more than this many seconds for one text is asked no more.
SECONDS_MAX = 1.0


class Slow(Exception):
    """A text took too long."""


def alarm(_signal, _frame):
    raise Slow


def main():
    signal.signal(signal.SIGALRM, alarm)
    slow = set()
    lines = open(sys.argv[1], encoding="utf-8") if len(sys.argv) > 1 else sys.stdin
    patterns, failures, agree = {}, 0, 0
    for case in map(json.loads, filter(str.strip, lines)):
        if case["kind"] != "regex" or case["grammar"] in slow:
            continue
        try:
            pattern = patterns.get(case["grammar"]) or re.compile(case["grammar"])
            signal.setitimer(signal.ITIMER_REAL, SECONDS_MAX)
            try:
                got = pattern.fullmatch(case["text"]) is not None
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except Slow:
            slow.add(case["grammar"])
            continue
        except (re.error, FutureWarning) as error:
            pattern, got = None, str(error)
        patterns[case["grammar"]] = pattern
        agree += got == case["expected"]
        if got != case["expected"]:
            failures += 1
            print(json.dumps({**case, "got": got}, ensure_ascii=False))
    summary = {"texts": agree + failures, "agree": agree, "patterns": len(patterns), "slow": len(slow)}
    print(json.dumps({"summary": summary}))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
