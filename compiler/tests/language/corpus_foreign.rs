//! Grammars and structural tags as people write them for other engines.

use blueprints_compiler::grammars::Syntax;

/// Grammars of other engines as people write them, with characters for their texts.
pub(crate) const FOREIGN: &[(Syntax, &str, &str)] = &[
    (Syntax::Lark, "start: \"a\"i \"b\"? | \"cd\"~1..2", "aAbcd"),
    (Syntax::Lark, "start: T \"x\"*\nT: ~(/.*b.*/) & /[a-d]{2,3}/", "abcdx"),
    (Syntax::Lark, "start: (A | B)+\nA: /[ab]/\nB: ~A & \"c\"{2}", "abc"),
    (Syntax::Lark, "start: e\ne: e \"+\" t | t\nt: N | \"(\" e \")\"\nN: /[0-9]/", "1+()"),
    (
        Syntax::Lark,
        "start: e\ne: t (\"+\" t)*\nt: N | \"(\" e \")\"\nN: /[0-9]/\n%ignore \" \"",
        "1+() ",
    ),
    (
        Syntax::Lark,
        "%llguidance {\"allow_initial_skip\": true}\nstart: \"a\" \"b\"? start?\n%ignore \" \"",
        "ab ",
    ),
    (Syntax::Lark, "start: \"[\" [v (\",\" v)*] \"]\"\nv: \"1\" | start", "[]1,"),
    (Syntax::Lark, "start: %regex {\"substring_chars\": \"abca\"} \".\"", "abc."),
    (Syntax::Lark, "start: /[a-c]\\/\\d/i (\"\\x41\"|\"\\u00e9\")", "aB/0Aé"),
    (Syntax::Lark, "start: \"a\"..\"c\" \"é\"{2,}", "abcé"),
    (Syntax::Lark, "start: x* \"b\"?\nx: y?\ny: \"a\"\n%ignore \" \"", "ab "),
    (Syntax::Lark, "start: a\na: a \"y\" | b | \nb: b \"z\" | a \"x\"", "xyz"),
    (Syntax::Lark, "start: T\nT: /a+/ & ~(/(aa)+/)", "a"),
    (Syntax::Lark, "start: T\nT: ~(A B)\nA: \"x\"\nB: /y?/", "xyz"),
    (Syntax::Lark, "%import common.DIGIT\nstart: DIGIT \"!\"", "a0Z!"),
    (Syntax::Lark, "%import common.HEXDIGIT\nstart: HEXDIGIT \"!\"", "aFg0!"),
    (Syntax::Lark, "%import common.INT\nstart: INT \"!\"", "a0Z!"),
    (Syntax::Lark, "%import common.SIGNED_INT\nstart: SIGNED_INT \"!\"", "+-01!"),
    (Syntax::Lark, "%import common.DECIMAL\nstart: DECIMAL \"!\"", ".01!"),
    (Syntax::Lark, "%import common.FLOAT\nstart: FLOAT \"!\"", ".0e-1!"),
    (Syntax::Lark, "%import common.SIGNED_FLOAT\nstart: SIGNED_FLOAT \"!\"", "+-.0e!"),
    (Syntax::Lark, "%import common.NUMBER\nstart: NUMBER \"!\"", ".0e+1!"),
    (Syntax::Lark, "%import common.SIGNED_NUMBER\nstart: SIGNED_NUMBER \"!\"", "+-.0e!"),
    (Syntax::Lark, "%import common.ESCAPED_STRING\nstart: ESCAPED_STRING \"!\"", "\"a\\\n!"),
    (Syntax::Lark, "%import common.LCASE_LETTER\nstart: LCASE_LETTER \"!\"", "a0Z!"),
    (Syntax::Lark, "%import common.UCASE_LETTER\nstart: UCASE_LETTER \"!\"", "a0Z!"),
    (Syntax::Lark, "%import common.LETTER\nstart: LETTER \"!\"", "a0Z!"),
    (Syntax::Lark, "%import common.WORD\nstart: WORD \"!\"", "a0Z!"),
    (Syntax::Lark, "%import common.CNAME\nstart: CNAME \"!\"", "_a0A!"),
    (Syntax::Lark, "%import common.WS_INLINE\nstart: WS_INLINE \"!\"", " \ta\n!"),
    (Syntax::Lark, "%import common.WS\nstart: WS \"!\"", " \n\t\r\u{c}a!"),
    (Syntax::Lark, "%import common.CR\nstart: CR \"!\"", "\r\n!"),
    (Syntax::Lark, "%import common.LF\nstart: LF \"!\"", "\r\n!"),
    (Syntax::Lark, "%import common.NEWLINE\nstart: NEWLINE \"!\"", "\r\n!"),
    (Syntax::Lark, "%import common.SH_COMMENT\nstart: SH_COMMENT", "#a\n"),
    (Syntax::Lark, "%import common.CPP_COMMENT\nstart: CPP_COMMENT", "/a\n"),
    (Syntax::Lark, "%import common.C_COMMENT\nstart: C_COMMENT \"!\"", "/*a\n!"),
    (Syntax::Lark, "%import common.SQL_COMMENT\nstart: SQL_COMMENT", "-a\n"),
    (Syntax::Ebnf, "root ::= root \"+\" n | n\nn ::= [0-9]", "1+"),
    (Syntax::Ebnf, "root ::= a \"x\"\na ::= b \"y\" | \"z\"\nb ::= a? \"w\" | \"\"", "xyzw"),
    (Syntax::Ebnf, "root ::= \"a\\x41\\u00e9\" [^\\^\\-\\]] | [a-c-]{2,3}", "aAé^-]bc"),
    (Syntax::Ebnf, "root ::= (() | \"a\"){2,-1} \"b\"*", "ab"),
    (Syntax::Ebnf, "root ::= Substring(\"ab\", \"c\", \"d\") \".\"", "abcd."),
    (Syntax::Ebnf, "root ::= Regex(\"a+[0-2]\", flags=\"i\")?", "aA012"),
    (
        Syntax::Ebnf,
        "root ::= TagDispatch((\"<a\", x), (\"<ab\", y))\nx ::= \"1\"\ny ::= \"2\"",
        "<ab12",
    ),
    (
        Syntax::Ebnf,
        "root ::= TagDispatch((\"ab\", x), (\"b\", y), loop_after_dispatch=false)\nx ::= \"1\"\ny ::= \"2\"",
        "ab12",
    ),
    (
        Syntax::Ebnf,
        "root ::= TagDispatch((\"ab\", x), excludes=(\"cab\", \"d\")) \nx ::= \"1\" root?",
        "abcd1",
    ),
    (Syntax::Ebnf, "root ::= \"a\" (= \"b\")\n", "ab"),
    (Syntax::Ebnf, "root ::= s\ns ::= s s | \"(\" s \")\" | \"\"", "()"),
    (
        Syntax::Ebnf,
        "# json\nroot ::= value\nvalue ::= object | array | \"null\" | \"1\"\nobject ::= \"{\" (pair (\",\" pair)*)? \"}\"\npair ::= \"\\\"\" [a-z]+ \"\\\"\" \":\" value\narray ::= \"[\" (value (\",\" value)*)? \"]\"",
        "{}[]\"a:1,nul",
    ),
];

/// Formats of structural tags, with characters for their texts.
pub(crate) const TAGS: &[(&str, &str)] = &[
    (r#"{"type": "const_string", "value": "a\"b"}"#, "a\"b"),
    (r#"{"type": "const_string", "value": ""}"#, "a"),
    (
        r#"{"type": "sequence", "elements": [{"type": "const_string", "value": "a"}, {"type": "or", "elements": [{"type": "const_string", "value": "b"}, {"type": "const_string", "value": ""}]}]}"#,
        "ab",
    ),
    (r#"{"type": "optional", "content": {"type": "const_string", "value": "ab"}}"#, "ab"),
    (r#"{"type": "plus", "content": {"type": "const_string", "value": "a"}}"#, "ab"),
    (
        r#"{"type": "star", "content": {"type": "or", "elements": [{"type": "const_string", "value": "a"}, {"type": "const_string", "value": "bb"}]}}"#,
        "ab",
    ),
    (
        r#"{"type": "repeat", "min": 1, "max": 3, "content": {"type": "const_string", "value": "a"}}"#,
        "ab",
    ),
    (
        r#"{"type": "repeat", "min": 2, "max": -1, "content": {"type": "const_string", "value": "a"}}"#,
        "ab",
    ),
    (r#"{"type": "regex", "pattern": "[a-c]+x?"}"#, "abcx"),
    (r#"{"type": "regex", "pattern": "a.?"}"#, "ab\n"),
    (r#"{"type": "grammar", "grammar": "root ::= \"(\" root \")\" | \"x\""}"#, "()x"),
    (r#"{"type": "grammar", "grammar": "start: \"a\" start? | \"b\"", "syntax": "lark"}"#, "ab"),
    (r#"{"type": "any_text"}"#, "ab\n"),
    (r#"{"type": "any_text", "excludes": ["ab"]}"#, "abc"),
    (r#"{"type": "any_text", "excludes": ["aa", "b\n"]}"#, "ab\n"),
    (r#"{"type": "any_text", "max_chars": 3}"#, "aé\n"),
    (r#"{"type": "any_text", "max_chars": 3, "excludes": ["ab"]}"#, "abé"),
    (r#"{"type": "tag", "begin": "<", "content": {"type": "any_text"}, "end": ">"}"#, "<a>"),
    (r#"{"type": "tag", "begin": "<", "content": {"type": "any_text"}, "end": "\n\n"}"#, "<a\n"),
    (
        r#"{"type": "tag", "begin": "<", "content": {"type": "any_text"}, "end": [">", "]"]}"#,
        "<a>]",
    ),
    (
        r#"{"type": "tag", "begin": "<", "content": {"type": "sequence", "elements": [{"type": "any_text"}, {"type": "const_string", "value": "x"}]}, "end": ">"}"#,
        "<ax>",
    ),
    (
        r#"{"type": "tag", "begin": "<", "content": {"type": "or", "elements": [{"type": "const_string", "value": "x"}, {"type": "any_text"}]}, "end": ">"}"#,
        "<ax>",
    ),
    (
        r#"{"type": "tag", "begin": "<", "content": {"type": "tag", "begin": "(", "content": {"type": "any_text"}, "end": ")"}, "end": ">"}"#,
        "<(a)>",
    ),
    (
        r#"{"type": "tag", "begin": "<", "content": {"type": "any_text", "excludes": ["z"]}, "end": "/>"}"#,
        "<az/>",
    ),
    (
        r#"{"type": "sequence", "elements": [{"type": "any_text"}, {"type": "const_string", "value": "END"}]}"#,
        "aEND",
    ),
    (
        r#"{"type": "triggered_tags", "triggers": ["(", "["], "tags": [{"type": "tag", "begin": "(x", "content": {"type": "const_string", "value": "y"}, "end": ")"}, {"type": "tag", "begin": "[", "content": {"type": "const_string", "value": "q"}, "end": "]"}]}"#,
        "(xy)[q]a",
    ),
    (
        r#"{"type": "triggered_tags", "triggers": ["(", "["], "tags": [{"type": "tag", "begin": "(x", "content": {"type": "const_string", "value": "y"}, "end": ")"}, {"type": "tag", "begin": "[", "content": {"type": "const_string", "value": "q"}, "end": "]"}], "at_least_one": true}"#,
        "(xy)[q]a",
    ),
    (
        r#"{"type": "triggered_tags", "triggers": ["(", "["], "tags": [{"type": "tag", "begin": "(x", "content": {"type": "const_string", "value": "y"}, "end": ")"}, {"type": "tag", "begin": "[", "content": {"type": "const_string", "value": "q"}, "end": "]"}], "stop_after_first": true}"#,
        "(xy)[q]a",
    ),
    (
        r#"{"type": "triggered_tags", "triggers": ["(", "["], "tags": [{"type": "tag", "begin": "(x", "content": {"type": "const_string", "value": "y"}, "end": ")"}, {"type": "tag", "begin": "[", "content": {"type": "const_string", "value": "q"}, "end": "]"}], "stop_after_first": true, "at_least_one": true}"#,
        "(xy)[q]a",
    ),
    (
        r#"{"type": "triggered_tags", "triggers": ["(", "["], "tags": [{"type": "tag", "begin": "(x", "content": {"type": "const_string", "value": "y"}, "end": ")"}, {"type": "tag", "begin": "[", "content": {"type": "const_string", "value": "q"}, "end": "]"}], "excludes": ["z", "ww"]}"#,
        "(xy)[q]azw",
    ),
    (
        r#"{"type": "tag", "begin": "<", "content": {"type": "triggered_tags", "triggers": ["(", "["], "tags": [{"type": "tag", "begin": "(x", "content": {"type": "const_string", "value": "y"}, "end": ")"}, {"type": "tag", "begin": "[", "content": {"type": "const_string", "value": "q"}, "end": "]"}]}, "end": ">"}"#,
        "<(xy)[q]a>",
    ),
    (
        r#"{"type": "triggered_tags", "triggers": ["<f"], "tags": [{"type": "tag", "begin": "<f>", "content": {"type": "any_text"}, "end": "</f>"}, {"type": "tag", "begin": "<f=1>", "content": {"type": "regex", "pattern": "[a-b]+"}, "end": "</f>"}]}"#,
        "<f>=1/ab",
    ),
    (
        r#"{"type": "triggered_tags", "triggers": ["<f"], "tags": [{"type": "tag", "begin": "<f>", "content": {"type": "any_text"}, "end": "</f>"}, {"type": "tag", "begin": "<f=1>", "content": {"type": "const_string", "value": "z"}, "end": "</f>"}], "at_least_one": true}"#,
        "<f>=1/abz",
    ),
    (
        r#"{"type": "tags_with_separator", "tags": [{"type": "tag", "begin": "(x", "content": {"type": "const_string", "value": "y"}, "end": ")"}, {"type": "tag", "begin": "[", "content": {"type": "const_string", "value": "q"}, "end": "]"}], "separator": ","}"#,
        "(xy)[q],",
    ),
    (
        r#"{"type": "tags_with_separator", "tags": [{"type": "tag", "begin": "(x", "content": {"type": "const_string", "value": "y"}, "end": ")"}, {"type": "tag", "begin": "[", "content": {"type": "const_string", "value": "q"}, "end": "]"}], "separator": ",", "at_least_one": true}"#,
        "(xy)[q],",
    ),
    (
        r#"{"type": "tags_with_separator", "tags": [{"type": "tag", "begin": "(x", "content": {"type": "const_string", "value": "y"}, "end": ")"}, {"type": "tag", "begin": "[", "content": {"type": "const_string", "value": "q"}, "end": "]"}], "separator": "\n", "stop_after_first": true}"#,
        "(xy)[q]\n",
    ),
    (
        r#"{"type": "tags_with_separator", "tags": [{"type": "tag", "begin": "(x", "content": {"type": "const_string", "value": "y"}, "end": ")"}, {"type": "tag", "begin": "[", "content": {"type": "const_string", "value": "q"}, "end": "]"}], "separator": ""}"#,
        "(xy)[q]",
    ),
    (
        r#"{"type": "tags_with_separator", "tags": [{"type": "tag", "begin": "(", "content": {"type": "any_text"}, "end": ")"}], "separator": ", "}"#,
        "(a), ",
    ),
    (
        r#"{"type": "dispatch", "rules": [["<f>", {"type": "const_string", "value": "1"}], ["<g>", {"type": "const_string", "value": "2"}]]}"#,
        "<f>1g2a",
    ),
    (
        r#"{"type": "dispatch", "rules": [["<f>", {"type": "const_string", "value": "1"}]], "loop": false, "excludes": ["no"]}"#,
        "<f>1no",
    ),
    (
        r#"{"type": "dispatch", "rules": [["f", {"type": "sequence", "elements": [{"type": "any_text"}, {"type": "const_string", "value": "x"}]}]], "loop": false}"#,
        "fax",
    ),
    (r#"{"type": "json_schema", "json_schema": {"type": "boolean"}}"#, "true"),
    (r#"{"type": "json_schema", "json_schema": {"enum": [null, true]}}"#, "nulltre"),
    (
        r#"{"type": "sequence", "elements": [{"type": "tag", "begin": "<think>", "content": {"type": "any_text"}, "end": "</think>"}, {"type": "const_string", "value": "\n\n"}, {"type": "triggered_tags", "triggers": ["<c>"], "tags": [{"type": "tag", "begin": "<c>", "content": {"type": "const_string", "value": "go"}, "end": "</c>"}], "excludes": ["<think>"]}]}"#,
        "<think>/c\ngo",
    ),
];
