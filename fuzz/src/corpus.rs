//! Inputs to begin with, and the pieces that changes are made of.

use std::sync::Arc;

use blueprints_compiler::{Blueprint, Ir, SchemaOptions};
use blueprints_runtime::{Limits, Program, Vocabulary};

/// What a target's inputs are made of.
#[derive(Clone, Copy, Debug)]
pub struct Corpus {
    /// Whole inputs.
    pub seeds: &'static [&'static str],
    /// Pieces that are put in.
    pub pieces: &'static [&'static str],
}

const TEMPLATES: Corpus = Corpus {
    seeds: &[
        "{% repeat min=1 max=3 sep=\", \" %}ab{% endrepeat %}",
        "{% choice %}{% option %}no{% endoption %}{% option %}not sure{% endoption %}{% endchoice %}",
        "<think>{{ anything(until=\"</think>\") }}</think>{{ s | json_schema }}<|im_end|>",
        "{% optional %}a{% endoptional %}{{ \"[a-c]{2,4}(x|yz)*\" | regex }}",
        "{% for x in list %}{{ x }}{% if not loop.last %},{% endif %}{% endfor %}\n{{ name }}",
        "{% macro m(a) %}[{{ a }}]{% endmacro %}{{ m(\"x\") }}{{ m(list[0]) }}",
        "{% set a = \"x\" %}{% with b = a %}{{ b }}{% endwith %}{# note #}{%- if true -%} y {%+ endif %}",
        "{% anything until=\"\\n\\n\" %}\n\n{% repeat times=2 %}{{ \"\\\\d+\" | regex }}\n{% endrepeat %}",
        "ir:grammar l { l = \"[\" l \"]\" | 'x' }",
        "ir:(\"a\" | [b-d])* {2,5 sep \",\"} regex \"a+b\" anything until \"</\"",
        "ir:(\"a\"{2,3} | empty) ([é-ü] \"\\n\")? \"<|x|>\"",
    ],
    pieces: &[
        "{% repeat min=1 %}",
        "{% endrepeat %}",
        "{% choice %}",
        "{% option %}",
        "{% endoption %}",
        "{% endchoice %}",
        "{% optional %}",
        "{% endoptional %}",
        "{{ anything() }}",
        "{{ ",
        " }}",
        "{% ",
        " %}",
        "{%- ",
        "-%}",
        "{# ",
        " #}",
        "min=",
        "max=",
        "times=",
        "sep=",
        "until=",
        "1",
        "0",
        "4294967295",
        "-1",
        "99999999999",
        " | regex",
        " | json_schema",
        " | choice",
        "\"a\"",
        "list",
        "s",
        "name",
        "loop.index",
        "{% if s %}",
        "{% else %}",
        "{% endif %}",
        "{% for x in list %}",
        "{% endfor %}",
        "{% endfor",
        "<|im_end|>",
        "<|x|>",
        "</think>",
        "\u{E000}",
        "\u{F8FF}",
        "é",
        "\n",
        "\t",
        "\\",
        "'",
        "\"",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "*",
        "+",
        "?",
        "|",
        ".",
        "^",
        "$",
        "\\p{L}",
        "\\b",
        "(?=a)",
        "{2,3}",
        "{0,100000}",
        "grammar a { a = ",
        "rule",
        "regex \"",
        "schema ",
        "tracked ",
        "act ",
        "observed ",
        "automaton ",
        "joined ",
        "never",
        "empty",
        "by ",
        "with ",
        "~1",
        "[:1]",
    ],
};

const SCHEMAS: Corpus = Corpus {
    seeds: &[
        r#"{"type":"string","minLength":1,"maxLength":3}"#,
        r#"{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"null"}},"required":["b"],"additionalProperties":false}"#,
        r#"{"type":"array","items":{"enum":["a",1,null]},"minItems":1,"maxItems":2,"uniqueItems":true}"#,
        r##"{"$ref":"#/$defs/t","$defs":{"t":{"anyOf":[{"type":"boolean"},{"type":"array","items":{"$ref":"#/$defs/t"}}]}}}"##,
        r#"{"type":"string","pattern":"^a+b|c$","format":"email"}"#,
        r#"{"type":"number","minimum":-1.5,"exclusiveMaximum":10,"multipleOf":0.25}"#,
        r#"{"oneOf":[{"type":"integer"},{"const":"x"}],"not":{"const":3}}"#,
        r#"{"if":{"properties":{"k":{"const":1}}},"then":{"required":["v"]},"else":{"maxProperties":2}}"#,
        r#"{"patternProperties":{"^S_":{"type":"string"}},"propertyNames":{"maxLength":4},"dependentRequired":{"a":["b"]}}"#,
        r#"{"prefixItems":[{"type":"integer"}],"items":{"type":"string"},"contains":{"const":"x"}}"#,
        r#"{"allOf":[{"required":["a"]},{"properties":{"a":{"minimum":3}}}],"unevaluatedProperties":false}"#,
        "true",
    ],
    pieces: &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "true",
        "false",
        "null",
        "0",
        "1",
        "-1",
        "1e400",
        "0.1",
        "18446744073709551616",
        "{}",
        "[]",
        "\"\"",
        "\"type\":\"object\"",
        "\"type\":\"string\"",
        "\"type\":[\"string\",\"null\"]",
        "\"type\":\"integer\"",
        "\"type\":\"array\"",
        "\"enum\":[",
        "\"const\":",
        "\"anyOf\":[",
        "\"oneOf\":[",
        "\"allOf\":[",
        "\"not\":",
        "\"if\":",
        "\"then\":",
        "\"else\":",
        "\"$ref\":\"#\"",
        "\"$ref\":\"#/$defs/t\"",
        "\"$defs\":{\"t\":",
        "\"properties\":{\"a\":",
        "\"patternProperties\":{\"^a\":",
        "\"additionalProperties\":",
        "\"required\":[\"a\"]",
        "\"minLength\":2",
        "\"maxLength\":2",
        "\"minItems\":2",
        "\"maxItems\":2",
        "\"minProperties\":1",
        "\"maxProperties\":1",
        "\"pattern\":\"[^a]{2,}$\"",
        "\"format\":\"date\"",
        "\"format\":\"uuid\"",
        "\"minimum\":",
        "\"multipleOf\":",
        "\"uniqueItems\":true",
        "\"contains\":",
        "\"items\":",
        "\"prefixItems\":[",
        "\"unevaluatedItems\":false",
        "\"dependentSchemas\":{\"a\":",
        "\"$schema\":\"http://json-schema.org/draft-07/schema#\"",
        "\\u00e9",
        "\\ud83d",
        "é",
    ],
};

const TOKENIZERS: Corpus = Corpus {
    seeds: &[
        r#"{"added_tokens":[{"id":3,"content":"<|im_end|>","special":true}],"pre_tokenizer":{"type":"ByteLevel"},"model":{"type":"BPE","vocab":{"a":0,"b":1,"Ġ":2},"merges":[]}}"#,
        r#"{"decoder":{"type":"Sequence","decoders":[{"type":"ByteFallback"}]},"model":{"type":"BPE","vocab":{"<0x0A>":0,"▁a":1,"a":2}}}"#,
        r#"{"model":{"type":"Unigram","vocab":[["a",-1.5],["▁b",-2],["<0xC3>",0]]}}"#,
        r#"{"model":{"vocab":{"a":5,"ab":9}}}"#,
    ],
    pieces: &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "null",
        "0",
        "1",
        "16777215",
        "16777216",
        "-1",
        "1.5",
        "\"id\":",
        "\"content\":",
        "\"special\":true",
        "\"vocab\":",
        "\"model\":",
        "\"type\":",
        "\"BPE\"",
        "\"Unigram\"",
        "\"WordPiece\"",
        "\"ByteLevel\"",
        "\"added_tokens\":[",
        "<0x41>",
        "<0xGG>",
        "<0x",
        "▁",
        "Ġ",
        "Ċ",
        "é",
        "\\u0000",
        "\\ud800",
    ],
};

const TOKENS: Corpus = Corpus { seeds: &["", "\u{1}aaaaaaaabbbbbbbb"], pieces: &["\0\0", "AAAA"] };

/// What the inputs of a target are made of.
#[must_use]
pub fn corpus(target: &str) -> Corpus {
    match target {
        "grammar" => TEMPLATES,
        "schema" => SCHEMAS,
        "tokenizer_json" => TOKENIZERS,
        _ => TOKENS,
    }
}

/// The languages of the templates and schemas to begin with.
pub(crate) fn programs(vocabulary: &Vocabulary, limits: Limits) -> Vec<Program> {
    let context =
        serde_json::json!({ "s": { "type": "object" }, "list": ["no", "not sure"], "name": "x" });
    let templates = TEMPLATES.seeds.iter().filter_map(|seed| {
        if let Some(printed) = seed.strip_prefix("ir:") {
            return Ir::read(printed).ok();
        }
        let outline = Blueprint::from_str(seed).ok()?.outline(&context).ok()?;
        Some(outline.ir().clone())
    });
    let schemas = SCHEMAS.seeds.iter().filter_map(|seed| {
        let schema = serde_json::from_str(seed).ok()?;
        Ir::schema(Arc::new(schema), SchemaOptions::default()).ok()
    });
    let all = templates.chain(schemas);
    all.filter_map(|ir| Program::compile_ir(&ir, vocabulary, limits).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_seeds_compile() {
        let vocabulary = crate::vocabulary::small();
        let programs = programs(&vocabulary, crate::limits()).len();
        let seeds = TEMPLATES.seeds.len() + SCHEMAS.seeds.len();
        assert!(programs * 4 > seeds * 3, "{programs} of {seeds}");
    }

    #[test]
    fn every_tokenizer_is_taken() {
        for seed in TOKENIZERS.seeds {
            assert!(crate::tokenizer_json(seed.as_bytes()), "{seed}");
        }
    }

    #[test]
    fn every_seed_holds() {
        for (name, target) in crate::TARGETS {
            for seed in corpus(name).seeds {
                target(seed.as_bytes());
                target(format!("{seed}\0abcdefghijklmnop").as_bytes());
            }
        }
    }
}
