//! The styles that have names.

use serde_json::{Value, json};

/// The names, in the order of the documentation.
pub(super) const NAMES: [&str; 11] = [
    "qwen_xml",
    "minimax_xml",
    "deepseek_xml",
    "deepseek_v4_1_xml",
    "glm_xml",
    "kimi_k3_xml",
    "cohere_xml",
    "minimax_m3_xml",
    "gemma",
    "python",
    "python_arguments",
];

/// The map that `name` stands for.
pub(super) fn preset(name: &str) -> Option<Value> {
    Some(match name {
        "qwen_xml" => json!({
            "entry": "<parameter={key}>\n{value}\n</parameter>",
            "separator": "\n", "after": "\n", "booleans": "both",
        }),
        "minimax_xml" => json!({
            "entry": "<parameter name=\"{key}\">{value}</parameter>",
            "separator": "\n", "after": "\n",
        }),
        "deepseek_xml" => json!({
            "entry": "<｜DSML｜parameter name=\"{key}\" string=\"{is_string}\">{value}\
                      </｜DSML｜parameter>",
            "separator": "\n",
        }),
        "deepseek_v4_1_xml" => json!({
            "entry": "<｜DSML｜ parameter name=\"{key}\" string=\"{is_string}\">{value}\
                      </｜DSML｜ parameter>",
            "separator": "\n",
        }),
        "glm_xml" => json!({
            "entry": "<arg_key>{key}</arg_key><arg_value>{value}</arg_value>",
        }),
        "kimi_k3_xml" => json!({
            "entry": "<|open|>argument key=\"{key}\" type=\"{type}\"<|sep|>{value}\
                      <|close|>argument<|sep|>",
            "types": {"integer": "number"}, "key": "xml_quoted",
        }),
        "cohere_xml" => json!({
            "entry": "<cofl:value name=\"{key}\" type=\"{type}\">{value}</cofl:value>",
            "item": "<cofl:value type=\"{type}\">{value}</cofl:value>",
            "nested": true, "key": "xml_attribute",
            "types": {
                "string": "raw", "integer": "json", "number": "json", "boolean": "json",
                "null": "json", "object": "dict", "array": "list",
            },
        }),
        "minimax_m3_xml" => json!({
            "entry": "]<]minimax[>[<{key}>{value}]<]minimax[>[</{key}>",
            "item": "]<]minimax[>[<item>{value}]<]minimax[>[</item>",
            "nested": true, "excludes": ["]<]minimax[>["],
        }),
        "gemma" => json!({"values": "gemma", "order": "sorted"}),
        "python" => json!({"values": "python"}),
        "python_arguments" => json!({
            "entry": "{key}={value}", "separator": ", ", "strings": "python", "values": "python",
            "key": "identifier", "plain_keys": true,
        }),
        _ => return None,
    })
}
