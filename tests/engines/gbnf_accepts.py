"""Asks llama.cpp, through llama_grammar.mjs, which texts an emitted GBNF accepts.

Reads JSON lines {"id", "kind", "grammar", "text", "expected"} from the file named as the first
argument; kinds other than "gbnf" are passed over. The second argument is a folder with
`node_modules` in which node-llama-cpp is installed. Prints each disagreement and each refused
grammar as a JSON line, then one line {"summary": {...}}; the exit code is 1 if there was any.

llama.cpp keeps no texts with a zero character, so those are not asked about.
"""

import json
import os
import subprocess
import sys

import known


class Engine:
    """llama.cpp in a process of its own, started again where a grammar ends it."""

    def __init__(self, folder):
        self.folder, self.process = folder, None

    def ask(self, grammar, texts):
        if self.process is None:
            script = os.path.join(self.folder, "llama_grammar.mjs")
            self.process = subprocess.Popen(["node", script], text=True, encoding="utf-8",
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self.process.stdin.write(json.dumps({"grammar": grammar, "texts": texts}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            code = self.process.wait()
            self.process = None
            return {"refused": f"llama.cpp ended with {code}"}
        return json.loads(line)


def main():
    cases = known.Cases(sys.argv[1], {"gbnf"})
    engine = Engine(sys.argv[2])
    groups = {}
    for case in cases:
        if "\0" not in case["text"]:
            groups.setdefault(cases.key(case), []).append(case)
    for (_, grammar), group in groups.items():
        answer = engine.ask(grammar, [case["text"] for case in group])
        cases.grammars[("gbnf", grammar)] = None
        if "refused" in answer:
            cases.refuse(group[0], answer["refused"])
            continue
        for case, got in zip(group, answer["accepts"]):
            cases.judge(case, got)
    return cases.finish()


if __name__ == "__main__":
    sys.exit(main())
