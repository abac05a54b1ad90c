#!/usr/bin/env python3
"""Measures GLRMask: `pip install glrmask numpy`, then `run_glrmask.py TOKENIZER.json CASES.jsonl`."""
import importlib.metadata

import glrmask
import numpy

import records


class Session:
    def __init__(self, program):
        self.state = program.start()
        self.words = numpy.zeros(program.mask_len(), dtype=numpy.int32)

    def mask(self):
        self.state.fill_mask(self.words)

    def allows(self, token):
        return (int(self.words[token >> 5]) >> (token & 31)) & 1 == 1

    def accept(self, token):
        self.state.commit_token(token)

    def accepting(self):
        return self.state.is_accepting()


def build(tokenizer):
    vocabulary = glrmask.Vocab.from_id_to_bytes(records.token_bytes(tokenizer))
    compile = lambda schema: glrmask.Grammar.from_json_schema(schema).compile(vocabulary)
    return compile, Session


records.main(f"glrmask {importlib.metadata.version('glrmask')}", build)
