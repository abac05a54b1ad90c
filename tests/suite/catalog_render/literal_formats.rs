//! The formats whose arguments are literals of Python or of Gemma.

use super::{Arguments, Format, PLAIN, Python};

const LIST: Format = Format {
    preamble: None,
    section: ["[", "]"],
    call: "{name}({arguments})",
    separator: ", ",
    arguments: Arguments::Python(Python::Literal),
    identifiers: true,
    ..PLAIN
};
const GEMMA: Format = Format { identifiers: true, ..PLAIN };

pub(super) const FORMATS: &[Format] = &[
    Format { name: "llama_3_2_pythonic", ..LIST },
    Format { name: "llama_4_pythonic", section: ["<|python_start|>[", "]<|python_end|>"], ..LIST },
    Format { name: "gemma_3_pythonic", arguments: Arguments::Python(Python::DoubleQuoted), ..LIST },
    Format { name: "toolace", ..LIST },
    Format {
        name: "olmo_3",
        thought: Some(["<think>", "</think>"]),
        section: ["<function_calls>\n", "\n</function_calls>"],
        separator: "\n",
        arguments: Arguments::Python(Python::StringsOnly),
        ..LIST
    },
    Format {
        name: "lfm2",
        thought: Some(["<think>", "</think>"]),
        preamble: Some(["", ""]),
        section: ["<|tool_call_start|>[", "]<|tool_call_end|>"],
        ..LIST
    },
    Format {
        name: "functiongemma",
        call: "<start_function_call>call:{name}{{arguments}}<end_function_call>",
        arguments: Arguments::Gemma("<escape>"),
        ..GEMMA
    },
    Format {
        name: "gemma_4",
        thought: Some(["<|channel>thought\n", "\n<channel|>"]),
        call: "<|tool_call>call:{name}{{arguments}}<tool_call|>",
        arguments: Arguments::Gemma("<|\"|>"),
        ..GEMMA
    },
];
