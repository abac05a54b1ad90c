//! What a template lowers to for a fixed pair of tools, as one text.

use blueprints::Outline;
use blueprints::emit::{Dialect, EmitError, Emitted, Exactness, Loss, Lost};
use serde_json::{Value, json};

/// The pair of tools, as the context of a template.
pub(super) fn pair() -> Value {
    json!({
        "tools": [
            { "name": "now", "parameters": { "additionalProperties": false } },
            { "name": "find", "parameters": {
                "properties": { "text": { "type": "string" }, "limit": { "type": "integer" } },
                "required": ["text"],
                "additionalProperties": false,
            } },
        ],
    })
}

/// The printed form of `outline`, its structural tag and its EBNF; for a target that cannot say
/// it, the losses or the reason.
pub(super) fn lowered(outline: &Outline) -> String {
    let tag = target(outline.to_structural_tag(Exactness::Lossy));
    let ebnf = target(outline.to_ebnf(Dialect::XGrammar, Exactness::Lossy));
    format!("--- ir\n{outline}\n--- structural tag\n{tag}\n--- xgrammar\n{ebnf}\n")
}

fn target(emitted: Result<Emitted, EmitError>) -> String {
    match emitted {
        Ok(emitted) => {
            // Targets name no parts; that changes nothing that may be written.
            let named = |loss: &&Loss| !matches!(loss.lost, Lost::Capture { .. });
            let losses = emitted.losses.iter().filter(named);
            let losses: String = losses.map(|loss| format!("\nloss: {loss}")).collect();
            let json = serde_json::from_str::<Value>(&emitted.text).ok().filter(Value::is_object);
            let pretty = json.and_then(|json| serde_json::to_string_pretty(&json).ok());
            pretty.unwrap_or(emitted.text) + &losses
        }
        Err(error) => format!("refused: {error}"),
    }
}
