//! Patterns against the crate `regex`.

use blueprints_compiler::Ir;

use crate::matcher::{check, matches};

/// Pattern, texts that match, texts that do not; the crate `regex` must agree.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

const TABLE: &[Row] = &[
    ("", &[""], &["a", "\n"]),
    ("abc", &["abc"], &["", "ab", "abcd", "xabc"]),
    ("a|bc|", &["a", "bc", ""], &["b", "abc"]),
    ("a+?", &["a", "aaa"], &["", "b"]),
    ("(?:ab){2,3}", &["abab", "ababab"], &["ab", "abababab", "aba"]),
    ("a{2,}", &["aa", "aaaaa"], &["a", ""]),
    (".", &["a", "é", "𝄞", "\r"], &["", "\n", "ab"]),
    ("(?s).", &["\n"], &[""]),
    (r"\d", &["7", "٣"], &["a", ""]),
    (r"(?-u)\d", &["7"], &["٣", "a"]),
    (r"\w+", &["aß_9", "日本"], &["a-b", ""]),
    (r"\s", &[" ", "\u{a0}", "\n"], &["x"]),
    (r"[^a-c]", &["d", "ü", "\n"], &["a", ""]),
    (r"(?i)straße", &["STRAßE", "straẞe"], &["strasse"]),
    (r"\p{Greek}+", &["αβγ"], &["abc", ""]),
    (r"^abc$", &["abc"], &["abc\n", "ab"]),
    (r"\Aabc\z", &["abc"], &["ab"]),
    (r"^a|b$", &["a", "b"], &["ab", ""]),
    (r"a^b", &[], &["ab", "a^b", ""]),
    (r"a*^b", &["b"], &["ab", "aab"]),
    (r"a$b*", &["a"], &["ab", ""]),
    (r"(^|x)a($|y)", &["a", "xa", "ay", "xay"], &["", "xxa"]),
    (r"(^a|b)+", &["a", "b", "ab", "abb"], &["ba", "aa", ""]),
    (r"(a|b$){2,3}", &["aa", "ab", "aab", "aaa"], &["ba", "a", "b", "bb"]),
    (r"(^|a){2}", &["", "a", "aa"], &["aaa", "b"]),
    (r"(a?^b?$c?)*", &["", "b"], &["a", "c", "ab", "bc"]),
    (r"(?:^a*|b$)(?:c*$|^d)", &["", "a", "acc", "b", "d", "c"], &["bc", "ad"]),
    (r"x{0}y", &["y"], &["xy"]),
    (r"[\n\t]", &["\n", "\t"], &["n"]),
];

#[test]
fn patterns_match_the_texts_that_the_crate_regex_matches() {
    for (pattern, accepted, rejected) in TABLE {
        let ir = Ir::regex(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        check(&ir, pattern, accepted, rejected);
        let oracle = regex::Regex::new(&format!(r"\A(?:{pattern})\z")).unwrap();
        for text in accepted.iter().chain(*rejected) {
            assert_eq!(oracle.is_match(text), accepted.contains(text), "{pattern} on {text:?}");
        }
    }
}

#[test]
fn patterns_agree_with_the_crate_regex_on_all_short_texts() {
    let texts = short_texts(&['a', 'b', 'c', '\n'], 5);
    for (pattern, ..) in TABLE {
        let ir = Ir::regex(pattern).unwrap();
        let oracle = regex::Regex::new(&format!(r"\A(?:{pattern})\z")).unwrap();
        for text in &texts {
            assert_eq!(matches(&ir, text), oracle.is_match(text), "{pattern} on {text:?}");
        }
    }
}

fn short_texts(alphabet: &[char], length_max: usize) -> Vec<String> {
    let mut texts = vec![String::new()];
    let mut begin = 0;
    for _ in 0..length_max {
        let end = texts.len();
        for at in begin..end {
            texts.extend(alphabet.iter().map(|c| format!("{}{c}", texts[at])).collect::<Vec<_>>());
        }
        begin = end;
    }
    texts
}

#[test]
fn bounds_are_numbers_however_big() {
    let ir = Ir::regex("a{1000000000}|b{2,4000000000}").unwrap();
    check(&ir, "big bounds", &["bb", "bbbb"], &["b", "a", "aaa", ""]);
}

#[test]
fn what_is_refused_names_its_place() {
    let table: &[(&str, std::ops::Range<usize>, &str)] = &[
        ("ab(?=c)", 2..5, "look-around"),
        ("ab(?!c)", 2..5, "look-around"),
        ("(?<=a)b", 0..4, "look-around"),
        ("x(?<!a)b", 1..5, "look-around"),
        (r"(a)\1", 3..5, "backreferences"),
        (r"a\bc", 1..3, r"`\b` looks"),
        (r"a(?m:^)c", 5..6, "`^` looks"),
        (r"$(?m)x$", 6..7, "`$` looks"),
        (r"(a", 0..1, "unclosed group"),
        (r"a{3,2}", 1..6, "repetition"),
        (r"[z-a]", 1..4, "range"),
        (r"(?-u:\xFF)", 5..9, "UTF-8"),
        (r"(?-u:.)", 5..6, "UTF-8"),
        (r"\p{Nonesuch}", 0..12, "property"),
    ];
    for (pattern, range, message) in table {
        let error = Ir::regex(pattern).expect_err(pattern);
        assert_eq!(error.range, *range, "{pattern}: {error}");
        assert!(error.message.contains(message), "{pattern}: {error}");
    }
    assert!(Ir::regex("(?=a)").unwrap_err().help.unwrap().contains("until"));
    assert!(Ir::regex(r"\b").unwrap_err().help.unwrap().contains("anything(until="));
}

#[test]
fn sizes_are_bounded() {
    let deep = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(Ir::regex(&deep).unwrap_err().message.contains("bytes"));
    let deep = format!("{}a{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(Ir::regex(&deep).unwrap_err().message.contains("deeper"));
    let anchors = "(a?^b?$c?)*".repeat(200);
    assert!(Ir::regex(&anchors).is_err_and(|error| error.message.contains("anchors")));
}
