//! Schemas in structural tags.
//!
//! XGrammar closes objects and arrays that list what is in them, so they are closed here too;
//! a schema of another engine would let more in. White space runs to a bound where XGrammar has
//! none, keys never repeat, and the word for a type is always that of the value.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::fields::Fields;
use super::{Read, styles};
use crate::ir::Ir;
use crate::schema::SchemaOptions;

/// How deep schemas are followed.
const DEPTH_MAX: usize = 200;

pub(super) fn read(fields: &Fields<'_>, kind: &str) -> Read {
    let known = ["type", "json_schema", "style", "any_order", "max_whitespace_cnt", "excludes"];
    fields.only(&known)?;
    let style = match fields.get("style") {
        None | Some(Value::Null) if kind == "json_schema" => "json",
        None | Some(Value::Null) => "qwen_xml",
        Some(style) => style.as_str().unwrap_or_default(),
    };
    let mut arguments = Vec::new();
    if matches!(style, "json" | "cohere_xml" | "minimax_m3_xml") {
        fields.none("excludes")?;
    }
    if style != "json" {
        let Some(map) = styles::map(style, fields.strings("excludes")?) else {
            let name = if kind == "json_schema" { "style" } else { "type" };
            return Err(fields.fault(name, format!("there is no style `{style}`")));
        };
        arguments.push(("style".to_owned(), map));
        arguments.push(("whitespace".to_owned(), json!("any")));
    }
    if let Some(most) = fields.count("max_whitespace_cnt")? {
        arguments.push(("whitespace".to_owned(), json!("any")));
        arguments.push(("max".to_owned(), most.into()));
    }
    let order = if fields.switch("any_order")? { "any" } else { "declared" };
    arguments.push(("order".to_owned(), order.into()));
    let source = match fields.need("json_schema")? {
        schema @ (Value::Object(_) | Value::Bool(_)) => closed(schema, 0),
        _ => return Err(fields.fault("json_schema", "a schema is an object, true or false")),
    };
    let options = SchemaOptions::from_arguments(&arguments)
        .map_err(|error| fields.fault("style", error.to_string()))?;
    Ir::schema(Arc::new(source), options)
        .map_err(|error| fields.fault("json_schema", error.to_string()))
}

/// `schema` with what XGrammar takes for granted written out.
fn closed(schema: &Value, depth: usize) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    if depth == DEPTH_MAX {
        return schema.clone();
    }
    let mut made = Map::new();
    for (name, value) in fields {
        made.insert(
            name.clone(),
            match (name.as_str(), value) {
                (
                    "properties" | "patternProperties" | "$defs" | "definitions",
                    Value::Object(all),
                ) => {
                    let each = all.iter().map(|(key, one)| (key.clone(), closed(one, depth + 1)));
                    Value::Object(each.collect())
                }
                ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(all)) => {
                    Value::Array(all.iter().map(|one| closed(one, depth + 1)).collect())
                }
                ("items" | "additionalProperties" | "unevaluatedProperties", value) => {
                    closed(value, depth + 1)
                }
                (_, value) => value.clone(),
            },
        );
    }
    let has = |name: &str| fields.contains_key(name);
    let listed = ["properties", "required", "patternProperties", "minProperties", "maxProperties"];
    if listed.iter().any(|name| has(name))
        && !has("additionalProperties")
        && !has("unevaluatedProperties")
    {
        made.insert("additionalProperties".into(), Value::Bool(false));
    }
    if has("prefixItems") && !has("items") && !has("unevaluatedItems") {
        made.insert("items".into(), Value::Bool(false));
    }
    Value::Object(made)
}
