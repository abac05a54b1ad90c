//! What costs what: the work of a template grows with its size.

use std::time::Instant;

use blueprints_compiler::Blueprint;
use serde_json::{Value, json};

fn tools(count: usize) -> Value {
    let tool = |at: usize| {
        json!({
            "name": format!("tool_{at}"),
            "parameters": {
                "type": "object",
                "properties": {
                    "text": { "type": "string", "maxLength": 20 },
                    format!("number_{at}"): { "type": "integer" },
                },
                "required": ["text"],
            },
        })
    };
    json!({ "tools": (0..count).map(tool).collect::<Vec<_>>() })
}

/// A thousand tools, and four thousand: the time grows with them, not with their square.
#[test]
fn a_thousand_tools_cost_a_thousand_times_one() {
    let template = "{% repeat min=1 %}<tool_call>\n{% choice %}{% for tool in tools %}\
        {% option %}{\"name\": \"{{ tool.name }}\", \"arguments\": \
        {{ tool.parameters | json_schema }}}{% endoption %}{% endfor %}{% endchoice %}\
        \n</tool_call>{% endrepeat %}";
    let blueprint = Blueprint::from_str(template).unwrap();
    // The best of three: others may be at work on the machine.
    let time = |count: usize| {
        let context = tools(count);
        let runs = (0..3).map(|_| {
            let start = Instant::now();
            let outline = blueprint.outline(&context).unwrap();
            let time = start.elapsed();
            assert!(outline.warnings().is_empty());
            (time, outline.to_string().len())
        });
        runs.min().unwrap_or_default()
    };
    let (few, printed) = time(1000);
    let (many, longer) = time(4000);
    println!("1000 tools {few:?}, 4000 tools {many:?}");
    assert!(longer < printed * 5);
    // Four times as many may take noisily more than four times as long, but not sixteen.
    assert!(many < few * 10, "{few:?} {many:?}");
}
