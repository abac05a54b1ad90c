#!/usr/bin/env python3
"""Measures XGrammar: `pip install xgrammar numpy`, then `run_xgrammar.py TOKENIZER.json CASES.jsonl`.

Works with and without PyTorch: a mask is an array of 32-bit words.
"""
import importlib.metadata
import json
import sys
import types

import numpy

try:
    import torch  # noqa: F401
except ImportError:
    import tvm_ffi  # noqa: F401  Looks for the real one, so it comes first.

    # XGrammar names these when it is imported and does not use them here.
    torch = types.ModuleType("torch")
    torch.__version__ = "0"
    torch.Tensor, torch.dtype, torch.LongTensor = type("Tensor", (), {}), type("dtype", (), {}), type("L", (), {})
    torch.FloatTensor = torch.Tensor
    torch.int32, torch.int64, torch.bool = numpy.int32, numpy.int64, numpy.bool_
    torch.float16, torch.float32, torch.bfloat16 = numpy.float16, numpy.float32, object()
    torch.tensor = lambda data, dtype=None, device=None: numpy.array(data, dtype=dtype)
    torch.full = lambda shape, value, dtype=None: numpy.full(shape, value, dtype=dtype)
    torch.cuda = types.SimpleNamespace(is_available=lambda: False)
    sys.modules["torch"] = torch
    if "transformers" not in sys.modules:
        transformers = types.ModuleType("transformers")
        for name in ("PreTrainedTokenizerBase", "PreTrainedTokenizerFast", "PreTrainedTokenizer",
                     "LogitsProcessor", "AutoTokenizer", "AutoConfig"):
            setattr(transformers, name, type(name, (), {}))
        sys.modules["transformers"] = transformers

import xgrammar

import records


def build(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    tokenizer = json.loads(text)
    spelled = dict(tokenizer["model"]["vocab"])
    spelled.update({token["content"]: token["id"] for token in tokenizer.get("added_tokens", [])})
    tokens = [""] * (max(spelled.values()) + 1)
    for token, at in spelled.items():
        tokens[at] = token
    found = xgrammar.TokenizerInfo._detect_metadata_from_hf(text)
    ends = [spelled[name] for name in ("<|im_end|>", "<|endoftext|>", "<|return|>") if name in spelled]
    information = xgrammar.TokenizerInfo(
        tokens, vocab_type=found["vocab_type"], vocab_size=len(tokens), stop_token_ids=ends,
        add_prefix_space=found["add_prefix_space"])
    compiler = xgrammar.GrammarCompiler(information, max_threads=1, cache_enabled=False)
    words = numpy.full((1, (len(tokens) + 31) // 32), -1, dtype=numpy.int32)

    class Session:
        def __init__(self, program):
            self.matcher = xgrammar.GrammarMatcher(program)
            self.full = False

        def mask(self):
            self.full = not self.matcher.fill_next_token_bitmask(words)

        def allows(self, token):
            return self.full or (int(words[0, token >> 5]) >> (token & 31)) & 1 == 1

        def accept(self, token):
            if not self.matcher.accept_token(token):
                raise ValueError(f"token {token} is refused although the mask allows it")

        def accepting(self):
            return self.full or any(self.allows(token) for token in ends)

    compile = lambda schema: compiler.compile_json_schema(schema, strict_mode=False)
    return compile, Session


records.main(f"xgrammar {importlib.metadata.version('xgrammar')}", build)
