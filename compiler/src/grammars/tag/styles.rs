//! XGrammar's styles of arguments, as ours.

use serde_json::{Value, json};

/// The style that XGrammar calls `name`, without the texts of `excludes`.
pub(super) fn map(name: &str, excludes: Vec<String>) -> Option<Value> {
    // White space may stand between entries, so nothing else does.
    let entry = match name {
        "qwen_xml" => Some("<parameter={key}>{value}</parameter>"),
        "glm_xml" => Some("<arg_key>{key}</arg_key>{blank}<arg_value>{value}</arg_value>"),
        "minimax_xml" | "deepseek_xml" | "deepseek_v4_1_xml" | "kimi_k3_xml" => None,
        "cohere_xml" => return Some(json!({ "preset": name, "blanks": "values" })),
        "minimax_m3_xml" => return Some(json!({ "preset": name, "blanks": "entries" })),
        "gemma" => return Some(json!({ "preset": name, "excludes": excludes })),
        _ => return None,
    };
    let mut map = json!({
        "preset": name, "separator": "", "after": "", "booleans": "json", "blanks": "values",
        "plain_keys": true, "excludes": excludes,
    });
    if let Some(entry) = entry {
        map["entry"] = entry.into();
    }
    Some(map)
}
