//! Compares what a template spells with special tokens: those of a tokenizer, or those that
//! model families are known for.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::problem::Problem;
use crate::diagnostic::suggest;
use crate::template::ast::{Ast, Item, TokenKind};
use crate::template::expression;

/// Special tokens that model families are known for.
pub(crate) const KNOWN: &[&str] = &[
    "<|im_start|>",
    "<|im_end|>",
    "<|im_sep|>",
    "<|endoftext|>",
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|python_tag|>",
    "<|start|>",
    "<|end|>",
    "<|message|>",
    "<|channel|>",
    "<|constrain|>",
    "<|call|>",
    "<|return|>",
    "<|user|>",
    "<|assistant|>",
    "<|system|>",
    "<|observation|>",
    "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>",
    "<|tool_call_begin|>",
    "<|tool_call_argument_begin|>",
    "<|tool_call_end|>",
    "<|START_OF_TURN_TOKEN|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|CHATBOT_TOKEN|>",
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
    "<|START_ACTION|>",
    "<|END_ACTION|>",
    "<|START_THINKING|>",
    "<|END_THINKING|>",
    "<｜begin▁of▁sentence｜>",
    "<｜end▁of▁sentence｜>",
    "<｜User｜>",
    "<｜Assistant｜>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁call▁end｜>",
    "<｜tool▁sep｜>",
    "<|plugin|>",
    "<|action_start|>",
    "<|action_end|>",
    "<|im_user|>",
    "<|im_assistant|>",
    "<|im_middle|>",
    "<|start_of_role|>",
    "<|end_of_role|>",
    "<|tool_call|>",
    "<|eos|>",
    "<|bom|>",
    "<|eom|>",
    "<|begin|>",
    "<|think|>",
    "<|content|>",
    "<|tool_calls|>",
    "<|tool_call:begin|>",
    "<|tool_call:name|>",
    "<|tool_call:args|>",
    "<|tool_call:end|>",
    "<|calls|>",
    "<|channel>",
    "<channel|>",
    "<|tool_call>",
    "<tool_call|>",
    "<|tool_response>",
    "<|turn>",
    "<turn|>",
    "<|\"|>",
    "<|open|>",
    "<|close|>",
    "<|sep|>",
    "<|end_of_msg|>",
    "<|python_start|>",
    "<|python_end|>",
    "<|eot|>",
    "<|EOT|>",
    "<|Bot|>",
    "<|assistant_end|>",
    "<|inner_prefix|>",
    "<|inner_suffix|>",
    "<|tools_prefix|>",
    "<|tools_suffix|>",
    "<|content_invoke_tool_json|>",
    "<|content_model_end_sampling|>",
    "<|content_text|>",
    "<|content_thinking|>",
    "<|end_message|>",
    "<|message_model|>",
    "<|function_call|>",
    "<|message_sep|>",
    "<|role_sep|>",
    "<|role_end|>",
    "<|tool_call_start|>",
    "<|plamo:tag|>",
    "<｜hy_eos｜>",
    "<｜tool_call_begin｜>",
    "<｜tool_call_end｜>",
    "<｜tool_calls_begin｜>",
    "<｜tool_calls_end｜>",
    "<｜tool_sep｜>",
    "<|BOT|>",
    "<ifm|tool_call>",
    "<ifm|tool_calls>",
    "</ifm|tool_call>",
    "</ifm|tool_calls>",
    "<|plamo:msg|>",
];

/// Shorter texts are near to everything.
const LENGTH_MIN: usize = 5;

/// Texts that are nearly one of `known`.
pub(crate) fn nearly_special(ast: &Ast, known: &[&str]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for item in &ast.items {
        let Item::Text(range) = item else { continue };
        for (start, candidate) in candidates(ast.source.slice(range)) {
            if known.contains(&candidate) || KNOWN.contains(&candidate) {
                continue;
            }
            if let Some(near) = suggest::nearest(candidate, known.iter().copied()) {
                let place = range.start + start..range.start + start + candidate.len();
                let problem = Problem::nearly_special(candidate, near);
                found.push(Diagnostic::new(problem, &ast.source, &place));
            }
        }
    }
    found
}

/// The literals in calls of `token` that are none of `known`.
pub(crate) fn unknown_tokens(ast: &Ast, known: &[&str]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for item in &ast.items {
        let tokens = match item {
            Item::Output(output) => &output.tokens,
            Item::Tag(tag) => &tag.body.tokens,
            Item::Text(_) | Item::Comment(_) | Item::Raw(_) => continue,
        };
        for (at, _) in expression::calls(ast, tokens, &|name| name == "token") {
            let Some(literal) = tokens.get(at + 2).filter(|t| t.kind == TokenKind::Text) else {
                continue;
            };
            let quoted = ast.source.slice(&literal.range);
            let spelling = &quoted[1..quoted.len() - 1];
            if !known.contains(&spelling) && !spelling.contains('\\') {
                let guess = suggest::nearest(spelling, known.iter().copied());
                let problem = Problem::unknown_token(spelling, guess);
                found.push(Diagnostic::new(problem, &ast.source, &literal.range));
            }
        }
    }
    found
}

/// The stretches of `text` that look like special tokens, with the byte each begins at.
fn candidates(text: &str) -> Vec<(usize, &str)> {
    let belongs = |c: char| c.is_ascii_alphanumeric() || "<>|｜_▁/:-".contains(c);
    let mut found = Vec::new();
    let mut start = 0;
    let mut before = ' ';
    let ends = text.char_indices().map(|(at, c)| (at, Some(c))).chain([(text.len(), None)]);
    for (at, character) in ends {
        let cut = match character {
            Some('<') => true,
            Some(c) => before == '>' || !belongs(c) || !belongs(before),
            None => true,
        };
        if cut {
            let piece = &text[start..at];
            let barred = piece.contains(['|', '｜']) && piece.contains(['<', '>']);
            if barred && piece.chars().count() >= LENGTH_MIN {
                found.push((start, piece));
            }
            start = at;
        }
        before = character.unwrap_or(' ');
    }
    found
}

#[cfg(test)]
mod tests {
    use super::candidates;

    #[test]
    fn what_looks_like_a_token_is_cut_out() {
        let text = "a<|im_end|>assistant <|im_ned|> x|y <b> <|im_end| |im_end|>é<｜User｜>";
        let found: Vec<&str> = candidates(text).into_iter().map(|(_, piece)| piece).collect();
        let expected = ["<|im_end|>", "<|im_ned|>", "<|im_end|", "|im_end|>", "<｜User｜>"];
        assert_eq!(found, expected);
    }
}
