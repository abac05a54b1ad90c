//! The formats whose arguments stand in markup of their own.

use super::{Arguments, Entries, Format, PLAIN};

/// One pattern for each argument, all that is no string as JSON.
const fn entries(entry: &'static str, joint: &'static str) -> Arguments {
    Arguments::Entries(Entries { entry, joint, words: FLAGS, item: None, cdata: false })
}

/// Whether a value is a string.
const FLAGS: &[(&str, &str)] = &[("string", "true"), ("", "false")];

const QWEN_CALL: &str = "<tool_call>\n<function={name}>\n{arguments}</function>\n</tool_call>";
const QWEN: Format = Format {
    preamble: Some(["", "\n\n"]),
    call: QWEN_CALL,
    separator: "\n",
    arguments: entries("<parameter={key}>\n{value}\n</parameter>\n", ""),
    ..PLAIN
};
const QWEN_INLINE: Arguments = entries("<parameter={key}>{value}</parameter>\n", "");
const INVOKE: Arguments = entries("<parameter name=\"{key}\">{value}</parameter>\n", "");
const ENDS: Option<[&str; 2]> = Some(["", "</think>"]);
const DSML: Format =
    Format { thought: ENDS, preamble: Some(["", "\n\n"]), lead: "\n\n", separator: "\n", ..PLAIN };
const GLM_LINES: Arguments =
    entries("<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n", "");
const GLM_TIGHT: Arguments = entries("<arg_key>{key}</arg_key><arg_value>{value}</arg_value>", "");
const GLM_LINES_CALL: &str = "<tool_call>{name}\n{arguments}</tool_call>";
const GLM_TIGHT_CALL: &str = "<tool_call>{name}{arguments}</tool_call>";

pub(super) const FORMATS: &[Format] = &[
    Format { name: "qwen3_coder", ..QWEN },
    Format { name: "qwen3_5", thought: Some(["", "\n</think>\n\n"]), ..QWEN },
    Format {
        name: "nemotron_3",
        thought: Some(["", "\n</think>\n"]),
        hollow: Some("</think>\n"),
        preamble: Some(["", "\n"]),
        ..QWEN
    },
    Format {
        name: "step_3_5",
        thought: Some(["", "\n</think>\n"]),
        preamble: Some(["", ""]),
        separator: "",
        ..QWEN
    },
    Format {
        name: "mimo_v2_flash",
        thought: Some(["<think>", "</think>"]),
        preamble: Some(["", "\n"]),
        arguments: QWEN_INLINE,
        ..QWEN
    },
    Format {
        name: "mimo_v2_6",
        thought: Some(["<think>", "</think>"]),
        call: "<tool_call><function={name}>{arguments}</function></tool_call>",
        arguments: entries("<parameter={key}>{value}</parameter>", ""),
        ..PLAIN
    },
    Format {
        name: "seed_oss",
        thought: Some(["<seed:think>", "</seed:think>\n"]),
        call: "<seed:tool_call>\n<function={name}>\n{arguments}</function>\n</seed:tool_call>",
        arguments: QWEN_INLINE,
        ..QWEN
    },
    Format {
        name: "deepseek_v3_2",
        section: ["<｜DSML｜function_calls>\n", "\n</｜DSML｜function_calls>"],
        call: "<｜DSML｜invoke name=\"{name}\">\n{arguments}</｜DSML｜invoke>",
        arguments: entries(
            "<｜DSML｜parameter name=\"{key}\" string=\"{type}\">{value}</｜DSML｜parameter>\n",
            "",
        ),
        ..DSML
    },
    Format {
        name: "deepseek_v4",
        section: ["<｜DSML｜tool_calls>\n", "\n</｜DSML｜tool_calls>"],
        call: "<｜DSML｜invoke name=\"{name}\">\n{arguments}\n</｜DSML｜invoke>",
        arguments: entries(
            "<｜DSML｜parameter name=\"{key}\" string=\"{type}\">{value}</｜DSML｜parameter>",
            "\n",
        ),
        ..DSML
    },
    Format {
        name: "deepseek_v4_1",
        section: ["<｜DSML｜ calls>\n", "\n</｜DSML｜ calls>"],
        call: "<｜DSML｜ invoke name=\"{name}\">\n{arguments}\n</｜DSML｜ invoke>",
        arguments: entries(
            "<｜DSML｜ parameter name=\"{key}\" string=\"{type}\">{value}</｜DSML｜ parameter>",
            "\n",
        ),
        ..DSML
    },
    Format {
        name: "gigachat_3_5",
        preamble: Some(["", "\n\n"]),
        section: ["<｜GCML｜tool_calls>\n", "\n</｜GCML｜tool_calls>"],
        call: "<｜GCML｜invoke name=\"{name}\">\n{arguments}</｜GCML｜invoke>",
        separator: "\n",
        arguments: entries(
            "<｜GCML｜parameter name=\"{key}\" string=\"{type}\">{value}</｜GCML｜parameter>\n",
            "",
        ),
        ..PLAIN
    },
    Format {
        name: "glm_4_5",
        thought: Some(["\n<think>", "</think>\n"]),
        hollow: Some("\n<think></think>"),
        preamble: Some(["", "\n"]),
        lead: "\n",
        call: GLM_LINES_CALL,
        separator: "\n",
        arguments: GLM_LINES,
        ..PLAIN
    },
    Format { name: "glm_4_7", thought: ENDS, call: GLM_TIGHT_CALL, arguments: GLM_TIGHT, ..PLAIN },
    Format {
        name: "ling_3_flash",
        thought: ENDS,
        preamble: Some(["", "\n"]),
        call: "<tool_call>{name}\n{arguments}\n</tool_call>",
        separator: "\n",
        arguments: entries("<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>", ""),
        ..PLAIN
    },
    Format {
        name: "spark_2_5",
        thought: ENDS,
        call: GLM_TIGHT_CALL,
        arguments: GLM_TIGHT,
        ..PLAIN
    },
    Format {
        name: "laguna",
        thought: Some(["<think>\n", "\n</think>\n"]),
        preamble: Some(["", "\n"]),
        lead: "\n",
        call: GLM_LINES_CALL,
        separator: "\n",
        arguments: GLM_LINES,
        ..PLAIN
    },
    Format {
        name: "hunyuan_3",
        thought: ENDS,
        section: ["<tool_calls>\n", "\n</tool_calls>"],
        call: "<tool_call>{name}<tool_sep>\n{arguments}</tool_call>",
        separator: "\n",
        arguments: GLM_LINES,
        ..PLAIN
    },
    Format {
        name: "hunyuan_4",
        thought: ENDS,
        section: ["<tool_calls>", "</tool_calls>"],
        call: GLM_TIGHT_CALL,
        arguments: GLM_TIGHT,
        ..PLAIN
    },
    Format {
        name: "k2_horizon",
        thought: Some(["<ifm|think>", "</ifm|think>\n"]),
        preamble: Some(["", "\n"]),
        section: ["<ifm|tool_calls>\n", "\n</ifm|tool_calls>"],
        call: "<ifm|tool_call>{name}\n{arguments}</ifm|tool_call>",
        separator: "\n",
        arguments: entries(
            "<ifm|arg_key>{key}</ifm|arg_key>\n<ifm|arg_value>{value}</ifm|arg_value>\n",
            "",
        ),
        ..PLAIN
    },
    Format {
        name: "kimi_k3",
        written: "<|open|>response<|sep|>",
        thought: Some(["", "<|close|>think<|sep|>"]),
        answer: ["<|open|>response<|sep|>", "<|close|>response<|sep|><|close|>message<|sep|>"],
        preamble: Some(["<|open|>response<|sep|>", "<|close|>response<|sep|>"]),
        lead: "<|open|>response<|sep|><|close|>response<|sep|>",
        section: ["<|open|>tools<|sep|>", "<|close|>tools<|sep|><|close|>message<|sep|>"],
        call: "<|open|>call tool=\"{name}\" index=\"{nth}\"<|sep|>{arguments}\
               <|close|>call<|sep|>",
        arguments: Arguments::Entries(Entries {
            entry: "<|open|>argument key=\"{key}\" type=\"{type}\"<|sep|>{value}\
                    <|close|>argument<|sep|>",
            joint: "",
            words: &[
                ("string", "string"),
                ("number", "number"),
                ("boolean", "boolean"),
                ("object", "object"),
                ("array", "array"),
                ("null", "null"),
            ],
            item: None,
            cdata: false,
        }),
        ..PLAIN
    },
    Format {
        name: "minimax_m2",
        thought: Some(["", "\n</think>\n\n"]),
        preamble: Some(["", "\n"]),
        lead: "\n",
        section: ["<minimax:tool_call>\n", "\n</minimax:tool_call>"],
        call: "<invoke name=\"{name}\">\n{arguments}</invoke>",
        separator: "\n",
        arguments: INVOKE,
        ..PLAIN
    },
    Format {
        name: "minimax_m3",
        thought: Some(["<mm:think>", "</mm:think>"]),
        section: ["]<]minimax[>[<tool_call>\n", "]<]minimax[>[</tool_call>"],
        call: "]<]minimax[>[<invoke name=\"{name}\">{arguments}]<]minimax[>[</invoke>\n",
        arguments: Arguments::Entries(Entries {
            entry: "]<]minimax[>[<{key}>{value}]<]minimax[>[</{key}>",
            joint: "",
            words: &[],
            item: Some("]<]minimax[>[<item>{value}]<]minimax[>[</item>"),
            cdata: false,
        }),
        identifiers: true,
        nulls: false,
        ..PLAIN
    },
    Format {
        name: "command_cofl",
        thought: Some(["", "<|END_THINKING|>"]),
        section: ["<cofl:tool_calls>", "</cofl:tool_calls>"],
        call: "<cofl:tool_call id=\"{at}\" name=\"{name}\">{arguments}</cofl:tool_call>",
        arguments: Arguments::Entries(Entries {
            entry: "<cofl:value name=\"{key}\" type=\"{type}\">{value}</cofl:value>",
            joint: "",
            words: &[("string", "raw"), ("object", "dict"), ("array", "list"), ("", "json")],
            item: Some("<cofl:value type=\"{type}\">{value}</cofl:value>"),
            cdata: false,
        }),
        ..PLAIN
    },
    Format {
        name: "step_3",
        thought: Some(["", "</think>\n"]),
        preamble: Some(["", "\n"]),
        section: ["<｜tool_calls_begin｜>\n", "\n<｜tool_calls_end｜>"],
        call: "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"{name}\">\n\
               {arguments}</steptml:invoke><｜tool_call_end｜>",
        separator: "\n",
        arguments: entries("<steptml:parameter name=\"{key}\">{value}</steptml:parameter>\n", ""),
        ..PLAIN
    },
    Format {
        name: "minicpm5",
        thought: Some(["<think>\n", "\n</think>\n\n"]),
        preamble: Some(["", "\n"]),
        call: "<function name=\"{name}\">{arguments}</function>",
        separator: "\n",
        arguments: Arguments::Entries(Entries {
            entry: "<param name=\"{key}\">{value}</param>",
            joint: "",
            words: &[],
            item: None,
            cdata: true,
        }),
        ..PLAIN
    },
    Format {
        name: "dots",
        preamble: Some(["", "\n"]),
        section: ["<dots_function_call>\n", "\n</dots_function_call>"],
        call: "<invoke name=\"{name}\">\n{arguments}</invoke>",
        separator: "\n",
        arguments: INVOKE,
        ..PLAIN
    },
    Format {
        name: "muse_glimmer",
        thought: Some([" to=self<|message|>", "<|eom|><|start|>assistant"]),
        answer: ["<|message|>", ""],
        preamble: Some(["<|message|>", "<|eom|><|start|>assistant"]),
        call: " to={name}<|message|><atem:function_calls>\n<atem:invoke name=\"{name}\">\n\
               {arguments}</atem:invoke>\n</atem:function_calls>",
        separator: "<|eom|><|start|>assistant",
        arguments: entries("<atem:parameter name=\"{key}\">{value}</atem:parameter>\n", ""),
        ..PLAIN
    },
];
