//! What an answer may be, given the tools: the language that the evaluation holds the model to.

use blueprints_compiler::ir::Part;
use blueprints_compiler::{Ir, PatternError};
use serde_json::Value;

/// One call of one of `tools`, its arguments spaced as `json.dumps` writes them.
pub(crate) fn answer(tools: &[Value]) -> Result<Ir, PatternError> {
    let calls = tools.iter().map(|tool| call(&tool["function"]));
    let calls = calls.collect::<Result<Vec<_>, _>>()?;
    Ok(Ir::sequence([
        Ir::text("<|im_start|>assistant\n<tool_call>\n"),
        Ir::choice(calls),
        Ir::text("\n</tool_call><|im_end|>"),
    ]))
}

fn call(function: &Value) -> Result<Ir, PatternError> {
    let parameters = &function["parameters"];
    let required: Vec<&str> =
        parameters["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut parts = Vec::new();
    for (name, schema) in parameters["properties"].as_object().into_iter().flatten() {
        let key = Ir::value(&format!("\"{name}\": "));
        let body = Ir::sequence([key, value(schema)?]);
        parts.push(Part { body, required: required.contains(&&**name) });
    }
    let name = function["name"].as_str().unwrap_or_default();
    Ok(Ir::sequence([
        Ir::value(&format!("{{\"name\": \"{name}\", \"arguments\": {{")),
        Ir::joined(Ir::value(", "), parts),
        Ir::value("}}"),
    ]))
}

fn value(schema: &Value) -> Result<Ir, PatternError> {
    if let Some(names) = schema["enum"].as_array() {
        return Ok(Ir::choice(names.iter().map(|name| Ir::value(&name.to_string()))));
    }
    match schema["type"].as_str() {
        Some("integer") => Ir::regex("-?(0|[1-9][0-9]{0,17})"),
        Some("number") => Ir::regex(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?"),
        Some("boolean") => Ir::regex("true|false"),
        _ => Ir::regex(r#""[^"\\\x00-\x1F]{0,200}""#),
    }
}
