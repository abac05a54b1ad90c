//! Tools and the requests that call for them: read from tools.txt, or made from verbs and nouns.

use serde_json::{Map, Value, json};

use crate::random::Random;
use crate::values::Kind;

/// A function that a model may call, and the ways to ask for it.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) requests: Vec<Request>,
}

#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) kind: Kind,
    pub(crate) need: Need,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Required,
    Optional,
}

/// A sentence with `{parameter}` slots; what stands in brackets goes with its optional parameter.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) mood: Mood,
    pub(crate) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    Order,
    Question,
}

/// The tools of tools.txt: those to learn, and those to keep for the evaluation.
#[derive(Debug)]
pub(crate) struct HandWritten {
    pub(crate) seen: Vec<Tool>,
    pub(crate) held_out: Vec<Tool>,
}

/// A line of tools.txt that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("tools.txt, line {line}: {problem}")]
pub(crate) struct ToolsError {
    line: usize,
    problem: &'static str,
}

impl HandWritten {
    /// Reads the format that the head of tools.txt describes.
    pub(crate) fn read(text: &str) -> Result<Self, ToolsError> {
        let mut all: Vec<(Tool, bool)> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let fault = |problem| ToolsError { line: index + 1, problem };
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let open = all.last_mut().map(|(tool, _)| tool);
            let mood = match line.as_bytes()[0] {
                b'>' => Some(Mood::Order),
                b'?' => Some(Mood::Question),
                _ => None,
            };
            if let Some(mood) = mood {
                let tool = open.ok_or(fault("a request before the first tool"))?;
                let text = line[1..].trim().to_owned();
                check(tool, &text).map_err(fault)?;
                tool.requests.push(Request { mood, text });
            } else if let Some(line) = line.strip_prefix("  ") {
                let tool = open.ok_or(fault("a parameter before the first tool"))?;
                tool.parameters.push(parameter(line).ok_or(fault("not a parameter"))?);
            } else {
                let (held_out, line) = match line.strip_prefix("* ") {
                    Some(line) => (true, line),
                    None => (false, line),
                };
                let (name, description) =
                    line.split_once(": ").ok_or(fault("not a `name: description`"))?;
                all.push((Tool::new(name, description), held_out));
            }
        }
        let (held_out, seen): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, out)| *out);
        let strip = |tools: Vec<(Tool, bool)>| tools.into_iter().map(|(tool, _)| tool).collect();
        Ok(Self { seen: strip(seen), held_out: strip(held_out) })
    }
}

fn parameter(line: &str) -> Option<Parameter> {
    let (head, description) = line.split_once(" = ")?;
    let (name, kind) = head.split_once(' ')?;
    let (name, need) = match name.strip_suffix('?') {
        Some(name) => (name, Need::Optional),
        None => (name, Need::Required),
    };
    Some(Parameter {
        name: name.to_owned(),
        description: description.to_owned(),
        kind: Kind::read(kind)?,
        need,
    })
}

/// Whether a request has every required slot outside of brackets, and no unknown one.
fn check(tool: &Tool, text: &str) -> Result<(), &'static str> {
    for parameter in &tool.parameters {
        let slot = format!("{{{}}}", parameter.name);
        if parameter.need == Need::Required && !text.contains(&slot) {
            return Err("a required parameter has no slot");
        }
    }
    let slots = text.matches('{').count();
    let known = tool.parameters.iter().filter(|p| text.contains(&format!("{{{}}}", p.name)));
    if slots != known.count() { Err("a slot without a parameter") } else { Ok(()) }
}

impl Tool {
    fn new(name: &str, description: &str) -> Self {
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            parameters: Vec::new(),
            requests: Vec::new(),
        }
    }

    /// The tool in OpenAI's shape; small variations keep a model from relying on any of them.
    pub(crate) fn schema(&self, random: &mut Random) -> Value {
        let described = random.percent(50);
        let mut properties = Map::new();
        for parameter in &self.parameters {
            let mut schema = parameter.kind.schema();
            if described && !parameter.description.is_empty() && random.percent(85) {
                schema["description"] = Value::String(parameter.description.clone());
            }
            properties.insert(parameter.name.clone(), schema);
        }
        let mut parameters = json!({ "type": "object", "properties": properties });
        let required: Vec<&str> = self
            .parameters
            .iter()
            .filter(|parameter| parameter.need == Need::Required)
            .map(|parameter| &*parameter.name)
            .collect();
        if !required.is_empty() || random.percent(30) {
            parameters["required"] = json!(required);
        }
        if random.percent(25) {
            parameters["additionalProperties"] = Value::Bool(false);
        }
        json!({
            "type": "function",
            "function": {
                "name": self.name, "description": self.description, "parameters": parameters
            }
        })
    }
}

/// Which verbs and nouns may meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    Seen,
    HeldOut,
}

/// A tool named `verb_noun` with parameters drawn at random.
///
/// One pair in eleven is held out; `like` asks for a tool that shares its verb or its noun.
pub(crate) fn procedural(random: &mut Random, split: Split, like: Option<&Tool>) -> Tool {
    let shared = like.and_then(|tool| tool.name.split_once('_'));
    let (verb, noun) = loop {
        let mut verb = random.below(VERBS.len());
        let mut noun = random.below(NOUNS.len());
        if let Some((old_verb, old_noun)) = shared {
            match random.below(2) {
                0 => verb = VERBS.iter().position(|v| v[0] == old_verb).unwrap_or(verb),
                _ => noun = NOUNS.iter().position(|n| *n == old_noun).unwrap_or(noun),
            }
        }
        let held_out = (verb * 31 + noun * 17).is_multiple_of(11);
        let right = match split {
            Split::Seen => !held_out,
            // A distractor shares words with what is held out, so its own pair may be any.
            Split::HeldOut => held_out || shared.is_some(),
        };
        if right {
            break (VERBS[verb], NOUNS[noun]);
        }
    };
    let name = format!("{}_{noun}", verb[0]);
    let description = match random.below(4) {
        0 => format!("{} a {noun}", upper(verb[0])),
        1 => format!("{} the {noun} of a user", upper(verb[0])),
        2 => format!("Use this to {} a {noun}", verb[0]),
        _ => format!("{} one {noun} in the system", upper(verb[0])),
    };
    let mut tool = Tool::new(&name, &description);
    let mut bank: Vec<usize> = (0..PARAMETERS.len()).collect();
    random.shuffle(&mut bank);
    let count = random.pick(&[&1, &1, &2, &2, &2, &3, &3]);
    for &index in bank.iter().take(*count) {
        let (name, kind, description) = PARAMETERS[index];
        let kind = Kind::read(kind).expect("the table below holds kinds that can be read");
        let need = if random.percent(30) { Need::Optional } else { Need::Required };
        let description = description.replace("{}", noun);
        tool.parameters.push(Parameter { name: name.to_owned(), description, kind, need });
    }
    tool.requests.push(procedural_request(random, verb, noun, &tool.parameters));
    tool
}

/// A tool with long texts for arguments and little else, to learn copying from.
pub(crate) fn copying(random: &mut Random) -> Tool {
    let mut tool = procedural(random, Split::Seen, None);
    tool.requests.clear();
    tool.parameters.truncate(random.between(1, 2));
    for parameter in &mut tool.parameters {
        parameter.kind = Kind::Text;
        parameter.need = Need::Required;
        parameter.description.clear();
    }
    let phrases = tool.parameters.iter().map(|p| format!("{}: {{{}}}", p.name, p.name));
    let text = phrases.collect::<Vec<_>>().join(", ");
    tool.requests.push(Request { mood: Mood::Order, text });
    tool
}

fn procedural_request(
    random: &mut Random,
    verb: [&str; 3],
    noun: &str,
    parameters: &[Parameter],
) -> Request {
    let verb = random.pick(&[verb[0], verb[0], verb[0], verb[1], verb[2]]);
    let article = random.pick(&["the ", "a ", "my ", "this ", ""]);
    let mut text = format!("{verb} {article}{noun}");
    for (index, parameter) in parameters.iter().enumerate() {
        let slot = format!("{{{}}}", parameter.name);
        let words = parameter.name.replace('_', " ");
        let joint = match index {
            0 => " ",
            _ => random.pick(&[", ", " and ", " ", ", "]),
        };
        let phrase = match random.below(8) {
            0 | 1 => format!("with {words} {slot}"),
            2 => format!("with the {words} {slot}"),
            3 => format!("{words} {slot}"),
            4 => format!("where {words} is {slot}"),
            5 => format!("{words}: {slot}"),
            6 => format!("using {slot} as {words}"),
            _ => format!("whose {words} is {slot}"),
        };
        match parameter.need {
            Need::Required => text.push_str(&format!("{joint}{phrase}")),
            Need::Optional => text.push_str(&format!("[{joint}{phrase}]")),
        }
    }
    Request { mood: Mood::Order, text }
}

/// A word with its first letter as a capital.
pub(crate) fn upper(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Verbs, each with two other ways to say it.
const VERBS: [[&str; 3]; 32] = [
    ["get", "fetch", "give me"],
    ["create", "make", "add"],
    ["delete", "remove", "erase"],
    ["update", "change", "edit"],
    ["find", "look up", "search for"],
    ["list", "show", "display"],
    ["send", "mail", "forward"],
    ["open", "show", "start"],
    ["close", "shut", "end"],
    ["start", "launch", "begin"],
    ["stop", "halt", "end"],
    ["book", "reserve", "order"],
    ["cancel", "drop", "call off"],
    ["check", "inspect", "look at"],
    ["upload", "put up", "send in"],
    ["download", "save", "pull"],
    ["share", "publish", "pass on"],
    ["rename", "relabel", "call"],
    ["move", "transfer", "shift"],
    ["copy", "duplicate", "clone"],
    ["merge", "combine", "join"],
    ["print", "put on paper", "output"],
    ["scan", "examine", "go through"],
    ["export", "write out", "dump"],
    ["import", "load", "read in"],
    ["approve", "accept", "confirm"],
    ["reject", "refuse", "decline"],
    ["assign", "give", "hand"],
    ["archive", "store", "put away"],
    ["restore", "bring back", "recover"],
    ["rate", "score", "judge"],
    ["buy", "purchase", "pay for"],
];

const NOUNS: [&str; 48] = [
    "invoice",
    "report",
    "document",
    "photo",
    "video",
    "playlist",
    "ticket",
    "customer",
    "product",
    "account",
    "password",
    "subscription",
    "payment",
    "refund",
    "shipment",
    "package",
    "meeting",
    "reminder",
    "contact",
    "folder",
    "backup",
    "server",
    "project",
    "branch",
    "issue",
    "comment",
    "review",
    "survey",
    "lesson",
    "course",
    "recipe",
    "workout",
    "movie",
    "song",
    "article",
    "page",
    "form",
    "contract",
    "license",
    "device",
    "sensor",
    "camera",
    "printer",
    "robot",
    "room",
    "vehicle",
    "route",
    "garden",
];

/// Names, kinds and descriptions of parameters; `{}` stands for the noun.
const PARAMETERS: [(&str, &str, &str); 36] = [
    ("name", "name", "The name of the {}"),
    ("title", "phrase", "The title of the {}"),
    ("id", "int", "The id of the {}"),
    ("code", "code", "The code of the {}"),
    ("owner", "name", "Who owns the {}"),
    ("city", "city", "The city of the {}"),
    ("location", "city", "Where the {} is"),
    ("date", "date", "The date"),
    ("time", "time", "The time"),
    ("start_date", "date", "The first day"),
    ("end_date", "date", "The last day"),
    ("email", "email", "The email address"),
    ("path", "path", "The path of the {}"),
    ("address", "address", "The address of the {}"),
    ("count", "int", "How many"),
    ("limit", "int", "The largest number"),
    ("size", "int", "The size of the {}"),
    ("amount", "number", "The amount"),
    ("price", "number", "The price of the {}"),
    ("weight", "number", "The weight of the {}"),
    ("label", "word", "The label of the {}"),
    ("tag", "word", "A tag for the {}"),
    ("category", "word", "The category of the {}"),
    ("group", "word", "The group of the {}"),
    ("key", "code", "The key of the {}"),
    ("text", "phrase", "The text"),
    ("note", "phrase", "A note about the {}"),
    ("topic", "phrase", "The topic of the {}"),
    ("reason", "phrase", "The reason"),
    ("user", "name", "The user of the {}"),
    ("color", "enum(red|green|blue|black|white)", "The color of the {}"),
    ("format", "enum(pdf|csv|json|html)", "The format of the {}"),
    ("priority", "enum(low|medium|high)", "How important it is"),
    ("status", "enum(open|closed|pending)", "The status of the {}"),
    ("public", "bool", "Whether everyone sees the {}"),
    ("verbose", "bool", "Whether details are shown"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hand_written_tools_are_read() {
        let tools = HandWritten::read(include_str!("../tools.txt")).unwrap();
        assert!(tools.seen.len() > 40 && tools.held_out.len() >= 5);
        assert!(tools.seen.iter().all(|tool| tool.requests.len() >= 4));
        let weather = tools.seen.iter().find(|tool| tool.name == "get_weather").unwrap();
        assert_eq!(weather.parameters[1].need, Need::Optional);
    }

    #[test]
    fn faults_have_their_line() {
        for (text, line) in [
            ("? who", 1),
            ("get: Get\n  a nothing = x", 2),
            ("get: Get\n  a int = x\n> get {b}", 3),
            ("get: Get\n  a int = x\n> get it", 3),
            ("get", 1),
        ] {
            assert_eq!(HandWritten::read(text).unwrap_err().line, line, "{text}");
        }
    }

    #[test]
    fn held_out_pairs_are_not_seen() {
        let pairs = |split| {
            (0..400)
                .map(|seed| procedural(&mut Random::new(seed), split, None).name)
                .collect::<std::collections::BTreeSet<_>>()
        };
        assert!(pairs(Split::Seen).is_disjoint(&pairs(Split::HeldOut)));
    }
}
