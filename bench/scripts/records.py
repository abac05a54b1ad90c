"""Drives an engine through prepared cases and writes records, as `blueprints-bench run` does.

A script per engine gives `compile(schema)`, which returns an object with `mask()`, `allows(token)`,
`accept(token)` and `accepting()`, and calls `main`. Times are CPU time of this thread in
nanoseconds, with the cost of the clock itself taken off and that of a call from Python left in:
what a Python caller pays.
"""
import argparse
import json
import sys
import time

clock = time.thread_time_ns


def clock_cost():
    empty = []
    for _ in range(2001):
        begin = clock()
        empty.append(clock() - begin)
    return sorted(empty)[1000]


def drive(session, test, record, cost):
    for token in test["tokens"]:
        begin = clock()
        session.mask()
        record["masks"].append(clock() - begin - cost)
        if not session.allows(token):
            return
        begin = clock()
        session.accept(token)
        record["accepts"].append(clock() - begin - cost)
    begin = clock()
    session.mask()
    record["masks"].append(clock() - begin - cost)
    record["accepted"] = bool(session.accepting())


def run(name, compile, start, case, strict):
    cost, program = clock_cost(), None
    for at, test in enumerate(case["tests"]):
        record = {"engine": name, "id": case["id"], "test": at, "valid": test["valid"],
                  "accepted": False, "masks": [], "accepts": []}
        try:
            if program is None or strict:
                begin = clock()
                program = compile(case["schema"])
                record["compile"] = clock() - begin - cost
            drive(start(program), test, record, cost)
        except Exception as fault:  # An engine's refusal is a result.
            record["error"] = str(fault).strip().splitlines()[-1][:200] if str(fault) else repr(fault)
        print(json.dumps(record))
        if program is None:
            break


def main(name, build):
    """`build(tokenizer)` returns `compile(schema)` and `start(program)`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tokenizer")
    parser.add_argument("cases", help="what `blueprints-bench prepare` prints")
    parser.add_argument("--strict", action="store_true", help="a fresh program for each text")
    parser.add_argument("--limit", type=int, default=None, help="so many schemas")
    arguments = parser.parse_args()
    compile, start = build(arguments.tokenizer)
    with open(arguments.cases, encoding="utf-8") as lines:
        for at, line in enumerate(lines):
            if arguments.limit is not None and at >= arguments.limit:
                break
            run(name, compile, start, json.loads(line), arguments.strict)
            if (at + 1) % 100 == 0:
                print(f"{at + 1} schemas", file=sys.stderr)


def byte_alphabet():
    """GPT-2's characters for bytes: printable ones stand for themselves, others for U+0100 on."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = (byte for byte in range(256) if byte not in plain)
    alphabet = {chr(byte): byte for byte in plain}
    alphabet.update({chr(0x100 + at): byte for at, byte in enumerate(others)})
    return alphabet


def token_bytes(path):
    """The bytes of each token of a byte-level `tokenizer.json` that is not special."""
    with open(path, encoding="utf-8") as file:
        tokenizer = json.load(file)
    added = tokenizer.get("added_tokens", [])
    special = {token["id"] for token in added if token.get("special")}
    alphabet, found = byte_alphabet(), {}
    for text, token in tokenizer["model"]["vocab"].items():
        found[token] = bytes(alphabet[character] for character in text)
    for token in added:
        found[token["id"]] = token["content"].encode()
    return {token: text for token, text in found.items() if token not in special}
