//! What the text of a capture becomes by its type.

pub(crate) mod gemma;
mod notation;
pub(crate) mod python;

use blueprints_compiler::ir::CaptureKind;
use serde_json::{Number, Value};

pub(crate) use gemma::Gemma;
pub(crate) use notation::{Found, Lexer, Respeller, escape};
pub(crate) use python::Python;

/// The value that `text` spells where its type asks for one; `None` if the value is the text
/// itself or is made of captures in it.
///
/// # Errors
/// Why the text is none of this type.
pub(crate) fn spelled(
    kind: CaptureKind,
    depth_max: usize,
    text: &str,
) -> Result<Option<Value>, Reason> {
    let value = match kind {
        CaptureKind::Text
        | CaptureKind::String
        | CaptureKind::Object
        | CaptureKind::Entries
        | CaptureKind::Items => return Ok(None),
        CaptureKind::Json => {
            serde_json::from_str(text).map_err(|error| Reason(format!("no JSON: {error}")))?
        }
        CaptureKind::Integer => match number(text.trim()).as_ref().and_then(whole) {
            Some(number) => Value::Number(number),
            None => return Err(Reason("no whole number".into())),
        },
        CaptureKind::Number => match number(text.trim()) {
            Some(number) => Value::Number(number),
            None => return Err(Reason("no number".into())),
        },
        CaptureKind::Boolean => match text.trim() {
            word if word.eq_ignore_ascii_case("true") => Value::Bool(true),
            word if word.eq_ignore_ascii_case("false") => Value::Bool(false),
            _ => return Err(Reason("neither true nor false".into())),
        },
        CaptureKind::Python => python::read(text, depth_max)?,
        CaptureKind::Gemma => gemma::read(text, depth_max)?,
    };
    Ok(Some(value))
}

/// The most digits of a whole number that is spelled with an exponent.
const WHOLE_DIGITS_MAX: usize = 1_000;

/// The whole number that `number` is, however it is spelled: `1.0` and `10e-1` are 1.
fn whole(number: &Number) -> Option<Number> {
    let text = number.to_string();
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.as_str()),
    };
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{before}{after}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return "0".parse().ok();
    }
    let shift: i64 = exponent.parse::<i64>().ok()?.checked_sub(after.len() as i64)?;
    let zeros = usize::try_from(shift.unsigned_abs()).ok()?;
    let digits = match shift >= 0 {
        true if zeros <= WHOLE_DIGITS_MAX => format!("{digits}{}", "0".repeat(zeros)),
        true => return None,
        false => {
            let kept = digits.len().checked_sub(zeros)?;
            let (kept, fraction) = digits.split_at(kept);
            if kept.is_empty() || fraction.bytes().any(|digit| digit != b'0') {
                return None;
            }
            kept.to_owned()
        }
    };
    format!("{sign}{digits}").parse().ok()
}

/// Why a text is no value.
#[derive(Debug)]
pub(crate) struct Reason(pub(crate) String);

/// A number as JSON would write it: without a plus, needless zeros and bare points.
pub(crate) fn number(text: &str) -> Option<Number> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}{exponent}").parse().ok()
}
