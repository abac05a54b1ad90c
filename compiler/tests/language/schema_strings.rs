//! Strings of a schema: spellings, lengths, and patterns of ECMA-262.

use regex::Regex;

use crate::matcher::{self, matches};
use crate::schema::{check, compact};

#[test]
fn every_legal_spelling_and_no_other() {
    check(
        r#"{"type":"string"}"#,
        &[
            r#""""#,
            r#""a\/b\"\\\b\f\n\r\t""#,
            r#""\u0041\u00fF\uFFFF\ud83D\uDe00""#,
            "\"\u{7f}é😀\u{2028}\"",
        ],
        &[
            "\"",
            "\"\n\"",
            "\"\t\"",
            "\"\u{1f}\"",
            r#""\a""#,
            r#""\u12""#,
            r#""\u12g4""#,
            r#""\ud83d""#,
            r#""\ude00""#,
            r#""\ud83dx""#,
            r#""\ud83d\u0041""#,
            r#""\U0041""#,
            r#"""""#,
            r#""\""#,
        ],
    );
}

#[test]
fn lengths_count_characters() {
    check(
        r#"{"type":"string","minLength":1,"maxLength":2}"#,
        &[r#""a""#, r#""\n\u0041""#, r#""😀\ud83d\ude00""#, r#""\\\"""#],
        &[r#""""#, r#""abc""#, r#""\u0041\u0041\u0041""#],
    );
    check(r#"{"minLength":3}"#, &["5", "null", "[]", r#""abc""#], &[r#""ab""#]);
    check(r#"{"maxLength":0}"#, &[r#""""#], &[r#""a""#]);
    let ir = compact(r#"{"type":"string","minLength":2,"maxLength":3000000000}"#);
    matcher::check(&ir, "big", &[r#""ab""#], &[r#""a""#]);
}

#[test]
fn host_names_hold_what_their_encoded_labels_say() {
    let long = format!("\"{}com\"", "a.".repeat(126));
    check(
        r#"{"type":"string","format":"hostname"}"#,
        &[
            r#""a""#,
            r#""1.2-3.X""#,
            r#""a--b.com""#,
            r#""xn--9n2bp8q.xn--9t4b11yi5a""#,
            r#""a.XN--9N2bp8q.b""#,
            r#""\u0078n--bcher-kv\u0061""#,
        ],
        &[
            r#""""#,
            r#""-a""#,
            r#""a-.b""#,
            r#""a.""#,
            r#""ab--c""#,
            r#""xn--X""#,
            r#""xn--hello-txk""#,
            r#""xn--9n2bp8q.xn--X""#,
            r#""xn--07jt112bpxg""#,
            &long,
        ],
    );
    // Narrowed, and beside others.
    check(
        r#"{"type":"string","format":"hostname","maxLength":11,"pattern":"^(xn|a)"}"#,
        &[r#""a.b""#, r#""xn--9n2bp8q""#, r#""xn""#],
        &[r#""b.a""#, r#""xn--9n2bp8q.a""#, r#""xn--9n2bp8""#],
    );
    // The oracle of these tables knows no formats.
    let source =
        r#"{"oneOf":[{"type":"string","format":"hostname"},{"type":"string","format":"ipv4"}]}"#;
    matcher::check(
        &compact(source),
        source,
        &[r#""a.b""#, r#""xn--9n2bp8q""#, r#""1.2.3.400""#],
        &[r#""1.2.3.4""#, r#""xn--X""#, r#""a_b""#],
    );
    check(
        r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"string","format":"hostname"}"#,
        &[r#""ab--c""#, r#""xn--X""#, r#""1.2""#],
        &[r#""""#, r#""a_b""#, r#""-""#],
    );
}

#[test]
fn patterns_are_searches_in_the_decoded_string() {
    check(
        r#"{"type":"string","pattern":"a|b"}"#,
        &[r#""a""#, r#""xb""#, r#""\u0061""#, r#""\"b\"""#],
        &[r#""""#, r#""x""#, "\"a", "a\"", r#""\b""#],
    );
    check(
        r#"{"pattern":"^[a-c]{2,3}$"}"#,
        &[r#""ab""#, r#""\u0061bc""#, "17"],
        &[r#""a""#, r#""abca""#, r#""ab\n""#],
    );
    check(
        r#"{"type":"string","pattern":"^.$"}"#,
        &[r#""\"""#, r#""\\""#, r#""\t""#, r#""😀""#, r#""\ud83d\ude00""#],
        &[r#""\n""#, r#""\r""#, "\"\u{2028}\"", r#""\u2029""#, r#""""#, "\"\n\""],
    );
    check(
        r#"{"type":"string","pattern":"^\\S+@\\S+$","minLength":3,"maxLength":5}"#,
        &[r#""a@b""#, r#""a@bcd""#, r#""@@@""#],
        &[r#""@b""#, r#""a@""#, r#""a@bcde""#, r#""a @b""#, r#""a@\u00A0b""#],
    );
    check(
        r#"{"type":"string","pattern":"^[a-z][a-z0-9]*$","maxLength":3}"#,
        &[r#""a""#, r#""ab1""#],
        &[r#""""#, r#""1a""#, r#""abcd""#],
    );
    check(
        r#"{"type":"string","pattern":"[0-9a-f]+","minLength":3,"maxLength":3}"#,
        &[r#""x1y""#, r#""abc""#],
        &[r#""xyz""#, r#""ab""#, r#""abcd""#],
    );
    check(
        r#"{"type":"string","pattern":"^(ab|c)*$","minLength":3}"#,
        &[r#""abc""#, r#""ccc""#, r#""abababab""#],
        &[r#""ab""#, r#""""#, r#""abd""#],
    );
}

/// Patterns whose meaning in ECMA-262 is that of the second one in the crate `regex`.
const ECMA: &[(&str, &str)] = &[
    (r"^\d+$", r"\A[0-9]+\z"),
    (r"^\w\W$", r"\A[0-9A-Za-z_][^0-9A-Za-z_]\z"),
    (
        r"^\s$",
        r"\A[\t\n\x0b\x0c\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]\z",
    ),
    (r"^[\w-.]+$", r"\A[0-9A-Za-z_\-.]+\z"),
    (r"^[^]a$", r"\A(?s:.)a\z"),
    (r"^[]", r"[^\s\S]"),
    (r"a\/b\-c\_", r"a/b\-c_"),
    (r"\u0061\x62\u{63}\cJ\0\t\v", r"abc\n\x00\t\x0b"),
    (r"^[\b]$", r"\A\x08\z"),
    (r"\ud83d\ude00|[\ud83d\ude00x]y", r"😀|[😀x]y"),
    (r"(?<year>a)(?:b)(c)", r"abc"),
    (r"^{.*}$", r"\A\{[^\n\r\u{2028}\u{2029}]*\}\z"),
    (r"a{,2}]", r"a\{,2\}\]"),
    (r"^a|b$", r"\Aa|b\z"),
    (r"(^a|^)b($|c)", r"(\Aa|\A)b(\z|c)"),
    (r"a^b|c", r"c"),
    (r"\p{Lu}\P{L}", r"\p{Lu}\P{L}"),
    (r"\p{Script=Greek}", r"\p{Greek}"),
    (r"a+?b{1,2}?c??d", r"a+b{1,2}c?d"),
    (r"", r""),
    (r"^$", r"\A\z"),
    (r"[a-c-e]", r"[a-ce\-]"),
    (r"[.*+?^${}()|[\]\\]", r"[.*+?^${}()|\[\]\\]"),
];

#[test]
fn ecma_patterns_mean_what_their_translations_mean() {
    let texts = [
        "",
        "a",
        "b",
        "c",
        "ab",
        "ba",
        "abc",
        "1",
        "12",
        "٣",
        "a-",
        "a é",
        "é",
        "_",
        " ",
        "\u{a0}",
        "\u{feff}",
        "\u{85}",
        "-.",
        "\na",
        "a/b-c_",
        "abc\n\0\t\u{b}",
        "\u{8}",
        "😀",
        "😀y",
        "xy",
        "y",
        "{}",
        "{x}",
        "{\n}",
        "a{,2}]",
        "b$",
        "Aa",
        "A1",
        "AB",
        "α",
        "aabcd",
        "d",
        "abd",
        "-",
        "e",
        "\\",
        "^",
        "]",
        "[",
        "xbx",
        "bc",
        "bcx",
        "\u{180e}",
    ];
    for (pattern, translated) in ECMA {
        let schema = serde_json::json!({"type": "string", "pattern": pattern}).to_string();
        let oracle = Regex::new(translated).unwrap();
        let alive = texts.iter().any(|text| oracle.is_match(text));
        if !alive {
            let value = std::sync::Arc::new(serde_json::from_str(&schema).unwrap());
            assert!(blueprints_compiler::Ir::schema(value, Default::default()).is_err());
            continue;
        }
        let ir = compact(&schema);
        for text in texts {
            let spelled = serde_json::to_string(text).unwrap();
            assert_eq!(matches(&ir, &spelled), oracle.is_match(text), "{pattern} on {text:?}");
            let escaped: String = text.encode_utf16().map(|u| format!("\\u{u:04x}")).collect();
            let escaped = format!("\"{escaped}\"");
            assert_eq!(matches(&ir, &escaped), oracle.is_match(text), "{pattern} on {escaped}");
        }
    }
}
