"""Asks llama.cpp, through llama_grammar.mjs, which texts an emitted GBNF accepts.

Reads JSON lines {"id", "kind", "grammar", "text", "expected"} from the file named as the first
argument; kinds other than "gbnf" are passed over. The second argument is a folder with
`node_modules` in which node-llama-cpp is installed. Prints each disagreement and each refused
grammar as a JSON line, then one line {"summary": {...}}; the exit code is 1 if there was any.

llama.cpp keeps no texts with a zero character, so those are not asked about. Where a rule repeats
itself its stacks may double with each character: a grammar for which it takes too long is counted
as slow, and is no disagreement.
"""

import json
import os
import signal
import subprocess
import sys
import threading

import known


START_LIMIT = 60  # seconds that the addon may take to start
ANSWER_LIMIT = 10  # and to answer about one grammar


class Engine:
    """llama.cpp in a process of its own, started again where a grammar ends it."""

    def __init__(self, folder):
        self.folder, self.process = folder, None

    def start(self):
        """Whether the addon runs on this machine."""
        script = os.path.join(self.folder, "llama_grammar.mjs")
        self.process = subprocess.Popen(["node", script], text=True, encoding="utf-8",
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        start_new_session=True)
        return self.line(START_LIMIT) != ""

    def line(self, seconds):
        """What it says next; nothing where it ends, or is ended for taking too long."""
        # Its own children too: they may hold the pipe.
        timer = threading.Timer(seconds, os.killpg, (self.process.pid, signal.SIGKILL))
        timer.start()
        try:
            return self.process.stdout.readline()
        finally:
            timer.cancel()

    def ask(self, grammar, texts):
        line = ""
        if self.process is not None or self.start():
            try:
                self.process.stdin.write(json.dumps({"grammar": grammar, "texts": texts}) + "\n")
                self.process.stdin.flush()
                line = self.line(ANSWER_LIMIT)
            except BrokenPipeError:
                pass
        if not line:
            code = self.process.wait()
            self.process = None
            if code == -signal.SIGKILL:
                return {"slow": True}
            return {"refused": f"llama.cpp ended with {code}"}
        return json.loads(line)


def main():
    cases = known.Cases(sys.argv[1], {"gbnf"})
    engine = Engine(sys.argv[2])
    if not engine.start():
        print("the addon of llama.cpp does not start on this machine: it was not asked")
        return 0
    groups = {}
    for case in cases:
        if "\0" not in case["text"]:
            groups.setdefault(cases.key(case), []).append(case)
    for (_, grammar), group in groups.items():
        answer = engine.ask(grammar, [case["text"] for case in group])
        cases.grammars[("gbnf", grammar)] = None
        if "slow" in answer:
            cases.counts["slow"] = cases.counts.get("slow", 0) + 1
            continue
        if "refused" in answer:
            cases.refuse(group[0], answer["refused"])
            continue
        for case, got in zip(group, answer["accepts"]):
            cases.judge(case, got)
    return cases.finish()


if __name__ == "__main__":
    sys.exit(main())
