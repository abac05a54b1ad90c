//! The words that ask for what a provider cannot hold a model to.

use crate::intent::{Kind, ToolChoice, Tools};

/// How many bytes of a grammar a prompt repeats; a longer one is named and not shown.
const SHOWN_MAX: usize = 20_000;

/// The words that ask for this kind of answer; `None` where there is nothing to ask.
#[must_use]
pub fn words(kind: &Kind) -> Option<String> {
    Some(match kind {
        Kind::Text | Kind::Raw(_) => return None,
        Kind::JsonObject => {
            "Answer with one JSON object and nothing else: no other words, no code fence."
                .to_owned()
        }
        Kind::JsonSchema(schema) => format!(
            "Answer with JSON and nothing else: no other words, no code fence. It must be valid \
             for this JSON Schema:\n{}",
            shown(&schema.to_string())
        ),
        Kind::Choice(choices) => {
            let list = choices.iter().enumerate();
            let list: Vec<String> =
                list.map(|(n, choice)| format!("{}. {choice}", n + 1)).collect();
            format!(
                "Answer with exactly one of these, word for word, and nothing else:\n{}",
                list.join("\n")
            )
        }
        Kind::Regex(pattern) => format!(
            "Answer with a text that this regular expression matches as a whole, and nothing \
             else:\n{}",
            shown(pattern)
        ),
        Kind::Grammar { syntax, text } => format!(
            "Answer with a text of this grammar ({syntax}), and nothing else:\n{}",
            shown(text)
        ),
        Kind::StructuralTag(tag) => format!(
            "Answer with a text of this structure (an XGrammar structural tag), and nothing \
             else:\n{}",
            shown(&tag.to_string())
        ),
        Kind::Tools(tools) => return tool_words(tools),
    })
}

fn tool_words(tools: &Tools) -> Option<String> {
    match &tools.choice {
        Some(ToolChoice::Required) => Some("Call at least one of the tools.".to_owned()),
        Some(ToolChoice::Named(name)) => Some(format!("Call the tool `{name}`.")),
        Some(ToolChoice::None) => Some("Call no tool.".to_owned()),
        Some(ToolChoice::Auto) | None => None,
    }
}

/// The tools, for a provider that takes none.
pub(crate) fn listed_tools(tools: &Tools) -> String {
    let list: Vec<String> = tools
        .tools
        .iter()
        .map(|tool| {
            let about = tool.description.as_deref().unwrap_or_default();
            format!("- {}: {about} Parameters: {}", tool.name, shown(&tool.parameters.to_string()))
        })
        .collect();
    format!(
        "To call a tool, answer with {{\"name\": …, \"arguments\": …}} as JSON and nothing else. \
         The tools:\n{}",
        list.join("\n")
    )
}

fn shown(text: &str) -> &str {
    if text.len() <= SHOWN_MAX { text } else { "(too long to be repeated here)" }
}
