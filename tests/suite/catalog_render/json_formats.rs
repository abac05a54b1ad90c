//! The formats whose arguments are JSON.

use super::{Arguments, Format, PLAIN};

const OBJECT: &str = r#"{"name": {quoted}, "arguments": {arguments}}"#;
const PARAMETERS: &str = r#"{"name": {quoted}, "parameters": {arguments}}"#;
const HERMES: Format = Format {
    call: "<tool_call>\n{\"name\": {quoted}, \"arguments\": {arguments}}\n</tool_call>",
    separator: "\n",
    preamble: Some(["", "\n"]),
    ..PLAIN
};
/// Objects in one list.
const LIST: Format = Format { call: OBJECT, separator: ", ", section: ["[", "]"], ..PLAIN };
const THINK: Option<[&str; 2]> = Some(["<think>\n", "\n</think>\n\n"]);
const OPENED: Option<[&str; 2]> = Some(["", "\n</think>\n\n"]);
const DEEPSEEK: Format =
    Format { section: ["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"], ..PLAIN };
const HARMONY: Format = Format {
    thought: Some(["<|channel|>analysis<|message|>", "<|end|><|start|>assistant"]),
    answer: ["<|channel|>final<|message|>", "<|return|>"],
    preamble: Some(["<|channel|>commentary<|message|>", "<|end|><|start|>assistant"]),
    many: false,
    ..PLAIN
};

pub(super) const FORMATS: &[Format] = &[
    Format { name: "hermes", ..HERMES },
    Format { name: "qwen2_5", ..HERMES },
    Format { name: "qwen3", thought: THINK, ..HERMES },
    Format { name: "qwq", thought: OPENED, ..HERMES },
    Format { name: "granite_4", ..HERMES },
    Format {
        name: "exaone_4",
        thought: THINK,
        call: "<tool_call>{\"name\": {quoted}, \"arguments\": {arguments}}</tool_call>",
        ..HERMES
    },
    Format { name: "smollm3", thought: Some(["<think>\n", "\n</think>\n"]), ..HERMES },
    Format { name: "mimo_vl", ..HERMES },
    Format {
        name: "longcat_flash",
        thought: Some(["<longcat_think>\n", "\n</longcat_think>\n"]),
        call: "<longcat_tool_call>\n{\"name\": {quoted}, \"arguments\": {arguments}}\n\
               </longcat_tool_call>",
        ..HERMES
    },
    Format {
        name: "ernie_4_5",
        thought: OPENED,
        answer: ["<response>\n", "\n</response>\n"],
        preamble: Some(["<response>\n", "\n</response>\n"]),
        call: "<tool_call>\n{\"name\": {quoted}, \"arguments\": {arguments}}\n</tool_call>\n",
        ..PLAIN
    },
    Format { name: "llama_3_json", preamble: None, call: PARAMETERS, separator: "; ", ..PLAIN },
    Format {
        name: "llama_3_python_tag",
        preamble: None,
        section: ["<|python_tag|>", ""],
        call: PARAMETERS,
        separator: "; ",
        ..PLAIN
    },
    Format {
        name: "mistral_v3",
        preamble: None,
        section: ["[TOOL_CALLS][", "]"],
        call: r#"{"name": {quoted}, "arguments": {arguments}, "id": "{id}"}"#,
        ..LIST
    },
    Format { name: "mistral_v3_no_id", preamble: None, section: ["[TOOL_CALLS] [", "]"], ..LIST },
    Format { name: "mistral_v11", call: "[TOOL_CALLS]{name}[ARGS]{arguments}", ..PLAIN },
    Format {
        name: "mistral_v11_call_id",
        call: "[TOOL_CALLS]{name}[CALL_ID]{id}[ARGS]{arguments}",
        ..PLAIN
    },
    Format {
        name: "mistral_v13_think",
        thought: Some(["[THINK]", "[/THINK]"]),
        call: "[TOOL_CALLS]{name}[ARGS]{arguments}",
        ..PLAIN
    },
    Format {
        name: "deepseek_v3",
        thought: THINK,
        call: "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{arguments}\n```\
               <｜tool▁call▁end｜>",
        separator: "\n",
        ..DEEPSEEK
    },
    Format {
        name: "deepseek_v3_1",
        thought: Some(["", "</think>"]),
        call: "<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>",
        ..DEEPSEEK
    },
    Format {
        name: "hunyuan_a13b",
        thought: Some(["<think>\n", "\n</think>\n"]),
        preamble: Some(["", "\n"]),
        section: ["<tool_calls>[", "]</tool_calls>"],
        ..LIST
    },
    Format {
        name: "kimi_k2",
        thought: Some(["<think>", "</think>"]),
        section: ["<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"],
        call: "<|tool_call_begin|>functions.{name}:{at}<|tool_call_argument_begin|>{arguments}\
               <|tool_call_end|>",
        ..PLAIN
    },
    Format {
        name: "minimax_m1",
        thought: THINK,
        preamble: Some(["", "\n"]),
        section: ["<tool_calls>\n", "\n</tool_calls>"],
        call: OBJECT,
        separator: "\n",
        ..PLAIN
    },
    Format {
        name: "harmony",
        call: "<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{arguments}\
               <|call|>",
        ..HARMONY
    },
    Format {
        name: "harmony_role_recipient",
        call: " to=functions.{name}<|channel|>commentary json<|message|>{arguments}<|call|>",
        ..HARMONY
    },
    Format {
        name: "command_r",
        preamble: Some(["", "\n"]),
        section: ["Action:\n```json\n[\n", "\n]```"],
        call: "    {\n        \"tool_name\": {quoted},\n        \"parameters\": {arguments}\n    }",
        separator: ",\n",
        arguments: Arguments::Indented(2),
        ..PLAIN
    },
    Format {
        name: "command_r7b",
        thought: Some(["<|START_THINKING|>", "<|END_THINKING|>"]),
        answer: ["<|START_RESPONSE|>", "<|END_RESPONSE|>"],
        preamble: None,
        section: ["<|START_ACTION|>[\n", "\n]<|END_ACTION|>"],
        call: "    {\"tool_call_id\": \"{at}\", \"tool_name\": {quoted}, \
               \"parameters\": {arguments}}",
        separator: ",\n",
        ..PLAIN
    },
    Format { name: "granite_3_0", preamble: None, section: ["<|tool_call|>[", "]"], ..LIST },
    Format { name: "granite_3_1", preamble: None, section: ["<tool_call>[", "]"], ..LIST },
    Format {
        name: "granite_20b",
        preamble: None,
        call: r#"<function_call> {"name": {quoted}, "arguments": {arguments}}"#,
        ..PLAIN
    },
    Format { name: "phi_4_mini", preamble: None, section: ["functools[", "]"], ..LIST },
    Format { name: "firefunction_v2", section: [" functools[", "]"], ..LIST },
    Format {
        name: "internlm_2_5",
        section: ["<|action_start|><|plugin|>\n", "<|action_end|>"],
        call: PARAMETERS,
        many: false,
        ..PLAIN
    },
    Format {
        name: "intern_s1",
        thought: THINK,
        call: "<|action_start|> <|plugin|>\n{\"name\": {quoted}, \"parameters\": {arguments}}\
               <|action_end|>",
        separator: "\n",
        ..PLAIN
    },
    Format {
        name: "jamba",
        section: ["<tool_calls>[\n    ", "\n]</tool_calls>"],
        separator: ",\n    ",
        ..LIST
    },
    Format { name: "xlam_2", preamble: None, ..LIST },
    Format {
        name: "xlam_fenced",
        preamble: Some(["", "\n"]),
        section: ["```json\n[", "]\n```"],
        ..LIST
    },
    Format {
        name: "nemotron_nano_v2",
        thought: OPENED,
        preamble: Some(["", "\n"]),
        section: ["<TOOLCALL>[", "]</TOOLCALL>"],
        ..LIST
    },
    Format {
        name: "apriel",
        thought: Some(["", "\n[BEGIN FINAL RESPONSE]\n"]),
        preamble: Some(["", "\n"]),
        lead: "\n",
        section: ["<tool_calls>[", "]</tool_calls>"],
        ..LIST
    },
    Format {
        name: "apertus",
        thought: Some(["<|inner_prefix|>", "<|inner_suffix|>"]),
        section: ["<|tools_prefix|>[", "]<|tools_suffix|>"],
        call: "{{quoted}: {arguments}}",
        ..LIST
    },
    Format {
        name: "solar_open",
        thought: Some(["<|think|>", "<|end|><|begin|>assistant"]),
        answer: ["<|content|>", ""],
        preamble: Some(["<|content|>", "<|end|><|begin|>assistant"]),
        section: ["<|tool_calls|>", "<|calls|>"],
        call: "<|tool_call:begin|>{small_id}<|tool_call:name|>{name}<|tool_call:args|>{arguments}\
               <|tool_call:end|>",
        ..PLAIN
    },
    Format { name: "functionary_3_1", call: "<function={name}>{arguments}</function>", ..PLAIN },
    Format {
        name: "functionary_3_2",
        answer: ["all\n", ""],
        preamble: Some(["all\n", ">>>"]),
        call: "{name}\n{arguments}",
        separator: ">>>",
        ..PLAIN
    },
    Format {
        name: "gigachat_3",
        section: ["<|message_sep|>\n\nfunction call<|role_sep|>\n", ""],
        call: OBJECT,
        many: false,
        ..PLAIN
    },
    Format {
        name: "gigachat_3_1",
        section: ["<|function_call|>", ""],
        call: OBJECT,
        many: false,
        ..PLAIN
    },
    Format {
        name: "inkling",
        thought: Some(["<|message_model|><|content_thinking|>", "<|end_message|>"]),
        answer: ["<|message_model|><|content_text|>", "<|end_message|>"],
        preamble: Some(["<|message_model|><|content_text|>", "<|end_message|>"]),
        call: "<|message_model|>{name}<|content_invoke_tool_json|>{\"name\":{quoted},\"args\":\
               {arguments}}<|end_message|>",
        ..PLAIN
    },
    Format {
        name: "plamo_3",
        thought: Some(["<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"]),
        section: ["<|plamo:begin_tool_requests:plamo|>", "<|plamo:end_tool_requests:plamo|>"],
        call: "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>{name}\
               <|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>\
               <|plamo:constrain|>json<|plamo:msg|>{arguments}<|plamo:end_tool_arguments:plamo|>\
               <|plamo:end_tool_request:plamo|>",
        ..PLAIN
    },
];
