"""Reads the cases for an engine, and keeps its known disagreements apart from new ones.

`known.json` lists by hand where an engine is wrong: {"engine kind": [{"id", "text", "reason"}]},
where `id` is that of a case or a part of it, and a `text` of null stands for all texts. An entry
that no disagreement needs is reported as well, so the list stays short.
"""

import json
import os


class Cases:
    def __init__(self, path, kinds):
        self.path, self.kinds = path, kinds
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(here, "known.json"), encoding="utf-8") as file:
            listed = json.load(file)
        self.known = [dict(entry, kind=kind, used=False)
                      for kind in kinds for entry in listed.get(kind, [])]
        self.grammars, self.refused, self.failures = {}, {}, 0
        self.counts = {"texts": 0, "accepted": 0, "rejected": 0, "agree": 0, "known": 0}

    def __iter__(self):
        with open(self.path, encoding="utf-8") as lines:
            for line in filter(str.strip, lines):
                case = json.loads(line)
                if case["kind"] in self.kinds and self.key(case) not in self.refused:
                    yield case

    def key(self, case):
        return (case["kind"], case["grammar"])

    def compiled(self, case, compile):
        key = self.key(case)
        if key not in self.grammars:
            self.grammars[key] = compile(case["grammar"])
        return self.grammars[key]

    def reason(self, case, text):
        for entry in self.known:
            same_text = entry["text"] is None or entry["text"] == text
            if entry["kind"] == case["kind"] and entry["id"] in case["id"] and same_text:
                entry["used"] = True
                return entry["reason"]
        return None

    def refuse(self, case, error):
        self.refused[self.key(case)] = error
        if self.reason(case, None) is None:
            self.fail({"id": case["id"], "kind": case["kind"], "refused": error.strip()[-400:],
                       "grammar": case["grammar"]})

    def judge(self, case, got):
        self.counts["texts"] += 1
        self.counts["accepted" if case["expected"] else "rejected"] += 1
        if got == case["expected"]:
            self.counts["agree"] += 1
        elif self.reason(case, case["text"]) is not None:
            self.counts["known"] += 1
        else:
            self.fail({**case, "got": got})

    def fail(self, failure):
        self.failures += 1
        print(json.dumps(failure, ensure_ascii=False))

    def finish(self):
        for entry in self.known:
            if not entry["used"]:
                self.fail({"unneeded": entry})
        self.counts["grammars"], self.counts["refused"] = len(self.grammars), len(self.refused)
        print(json.dumps({"summary": self.counts}))
        return 1 if self.failures else 0
