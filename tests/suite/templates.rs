//! Random templates, from text to masks: each mask equals the reference's, and so does each
//! answer about a whole text.

use blueprints::{Blueprint, Limits, Program, Recogniser, Token, Verdict, Vocabulary};
use serde_json::{Value, json};

use crate::masks;
use crate::reference::Reference;
use crate::toy::{self, Random};

const TEXTS: &[&str] =
    &["a", "b", "ab", "no", "not sure", "\n", ", ", "é", "<|im_end|>", "</think>", "<x>\n"];
const UNTIL: &[&str] = &["</think>", "\n\n", "<", "aab", "<|im_end|>", "\n<|im_end|>"];

fn context() -> Value {
    json!({
        "value": "a<|im_end|>b",
        "list": ["no", "not sure", "a"],
        "yes": true,
        "pattern": "[a-c]{2,3}|é+",
        "schemas": [
            { "type": "string", "maxLength": 2 },
            { "type": "array", "items": { "type": "boolean" }, "maxItems": 2 },
            {
                "type": "object",
                "properties": { "a": { "enum": ["x", 1] }, "b": { "$ref": "#" } },
                "additionalProperties": false,
            },
        ],
    })
}

fn template(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return leaf(random);
    }
    let mut inner = || template(random, depth - 1);
    let (one, other) = (inner(), inner());
    match random.below(9) {
        0 | 1 => format!("{one}{other}"),
        2 => format!("{one}\n{other}"),
        3 => {
            let min = random.below(3);
            let max = min + random.below(3);
            let separator = random.pick(&["", " sep=','", " sep='\\n\\n'"]);
            format!("{{% repeat min={min} max={max}{separator} %}}{one}{{% endrepeat %}}{other}")
        }
        4 => {
            let min = random.below(3);
            format!("{{% repeat min={min} %}}\n{one}\n{{% endrepeat %}}\n{other}")
        }
        5 => format!(
            "{{% choice %}}\n  {{% option %}}{one}{{% endoption %}}\n  \
             {{% option %}}\n{other}\n{{% endoption %}}\n{{% endchoice %}}\n"
        ),
        6 => format!("{{% optional %}}{one}{{% endoptional %}}{other}"),
        7 => format!(
            "{{% choice %}}{{% for x in list %}}{{% option %}}{{{{ x }}}}{one}{{% endoption %}}\
             {{% endfor %}}{{% endchoice %}}"
        ),
        _ => format!(
            "{{% macro m(x) %}}{one}{{{{ x }}}}{{% endmacro %}}{{% if yes %}}{{{{ m('b') }}}}\
             {{% endif %}}{other}"
        ),
    }
}

fn leaf(random: &mut Random) -> String {
    match random.below(8) {
        0..=3 => random.pick(TEXTS).to_owned(),
        4 => "{{ value }}".to_owned(),
        5 => "{{ pattern | regex }}".to_owned(),
        6 => format!("{{{{ schemas[{}] | json_schema(whitespace='compact') }}}}", random.below(3)),
        _ => {
            let until = random.pick(UNTIL);
            format!("{{{{ anything(until={until:?}) }}}}{until}")
        }
    }
}

#[test]
fn masks_of_random_templates_equal_the_reference() {
    let vocabulary = toy::vocabulary();
    let mut random = Random(4);
    let (mut compared, mut refused) = (0, 0);
    for _ in 0..150 {
        let text = template(&mut random, 3);
        // Some are refused: a line break behind a delimiter that should follow at once, say.
        match Blueprint::from_str(&text).and_then(|blueprint| blueprint.outline(context())) {
            Ok(outline) => compared += masks::walk(outline.ir(), &vocabulary, &mut random, 8),
            Err(faults) => {
                println!("{text:?}\n{faults}");
                refused += 1;
            }
        }
    }
    println!("{compared} masks compared, {refused} templates refused");
    assert!(compared > 500 && refused < 50, "{compared} {refused}");
}

/// Random texts, most of which begin well: a walk through the masks, then one byte changed.
#[test]
fn texts_fit_random_templates_as_the_reference_says() {
    let vocabulary = bytes_only();
    let mut random = Random(5);
    let (mut accepted, mut rejected) = (0, 0);
    for _ in 0..150 {
        let text = template(&mut random, 2);
        let Ok(outline) = Blueprint::from_str(&text).and_then(|b| b.outline(context())) else {
            continue;
        };
        let mut recogniser = Recogniser::new(outline.ir(), Limits::default()).expect("compiles");
        let program = Program::compile(&outline, &vocabulary, Limits::default()).expect("compiles");
        for _ in 0..4 {
            let sample = sample(&program, &mut random);
            let mut changed = sample.clone();
            if !changed.is_empty() {
                let at = random.below(changed.len());
                changed[at] = b"ab<\n\"1 "[random.below(7)];
            }
            for bytes in [sample, changed] {
                let Ok(text) = String::from_utf8(bytes) else { continue };
                let mut reference = Reference::new(outline.ir(), &vocabulary);
                for byte in text.bytes() {
                    reference = reference.after(blueprints::TokenId(byte.into()));
                }
                // A stop token at the end, or at that of an arm, may be left out of a text, which the
                // reference does not do.
                if text.ends_with("<|im_end|>") || !outline.to_string().contains("<|im_end|>") {
                    let fits = recogniser.check(&text).expect("within limits") == Verdict::Matches;
                    assert_eq!(fits, reference.is_accepting(), "{outline}\n{text:?}");
                    *(if fits { &mut accepted } else { &mut rejected }) += 1;
                }
            }
        }
    }
    println!("{accepted} accepted, {rejected} rejected");
    assert!(accepted > 100 && rejected > 100, "{accepted} {rejected}");
}

fn bytes_only() -> Vocabulary {
    let tokens = (0..=u8::MAX).map(|byte| Token::Bytes([byte].into())).collect();
    Vocabulary::new(tokens).expect("there are tokens")
}

/// A text that a random walk writes, complete if it ends by itself.
fn sample(program: &Program, random: &mut Random) -> Vec<u8> {
    let mut matcher = program.matcher();
    let mut text = Vec::new();
    for _ in 0..60 {
        if matcher.is_accepting() && random.below(3) == 0 {
            break;
        }
        let allowed: Vec<_> = matcher.mask().expect("within limits").iter().collect();
        let printable: Vec<_> =
            allowed.iter().copied().filter(|id| (0x20..0x7F).contains(&id.0)).collect();
        let pool = if printable.is_empty() { &allowed } else { &printable };
        let Some(&id) = pool.get(random.below(pool.len().max(1))) else { break };
        matcher.accept(id).expect("the mask allows it");
        text.push(id.0 as u8);
    }
    text
}
