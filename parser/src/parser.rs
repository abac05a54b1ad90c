//! A parser of one outline: whole texts, and texts that come piece by piece.

use std::mem;

use blueprints_compiler::{Ir, Outline};
use blueprints_runtime::{Mismatch, Token, TokenId, Vocabulary, Walker, stop_tokens};

use crate::error::ParseError;
use crate::limits::{ParseOptions, Strictness};
use crate::marks::Mark;
use crate::readings::{Past, Readings, Symbol};
use crate::skeleton::Skeleton;
use crate::teller::{Event, Teller};
use crate::tree::{Left, Parsed};

/// Reads texts by an outline. What it has learnt about the outline is kept from text to text.
///
/// # Examples
/// ```
/// use blueprints_compiler::Ir;
/// use blueprints_compiler::ir::CaptureKind;
/// use blueprints_parser::{Event, ParseText};
/// let name = Ir::capture("name", CaptureKind::Text, Ir::regex("[a-z]+")?);
/// let mut parser = Ir::sequence([Ir::text("<"), name, Ir::text(">")]).parser()?;
/// let events = parser.push("<a")?;
/// assert!(matches!(&events[1], Event::Opened { path, .. } if &**path == "/name"));
/// parser.push("b>")?;
/// let (events, parsed) = parser.finish()?;
/// assert!(events.is_empty());
/// assert_eq!(parsed.value(), serde_json::json!({"name": "ab"}));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Parser {
    readings: Readings,
    teller: Teller,
    text: String,
    /// The first bytes of a character whose others are still to come.
    tail: Vec<u8>,
    /// Where special tokens stand in the text.
    specials: Vec<(usize, usize)>,
    options: ParseOptions,
    /// The stop tokens that the outline may end with, which may be left out of the text.
    stops: Vec<String>,
    state: State,
}

enum State {
    Reading,
    /// A lenient parser reads on as text.
    Left(Left),
    Failed(ParseError),
}

/// Reads texts by a blueprint.
pub trait ParseText {
    /// The captures of `text`. To read many texts, build one [`Parser`].
    ///
    /// # Errors
    /// [`ParseError`] with the place where `text` does not fit.
    fn parse(&self, text: &str) -> Result<Parsed, ParseError>;

    /// A strict parser of texts, with the usual bounds.
    ///
    /// # Errors
    /// [`ParseError`] if a bound is crossed.
    fn parser(&self) -> Result<Parser, ParseError>;
}

impl ParseText for Ir {
    fn parse(&self, text: &str) -> Result<Parsed, ParseError> {
        self.parser()?.parse(text)
    }

    fn parser(&self) -> Result<Parser, ParseError> {
        Parser::new(self, ParseOptions::default())
    }
}

impl ParseText for Outline {
    fn parse(&self, text: &str) -> Result<Parsed, ParseError> {
        self.ir().parse(text)
    }

    fn parser(&self) -> Result<Parser, ParseError> {
        self.ir().parser()
    }
}

impl Parser {
    /// A parser of the texts of `ir`, in which special tokens are their spelling.
    ///
    /// # Errors
    /// [`ParseError`] if a bound is crossed.
    pub fn new(ir: &Ir, options: ParseOptions) -> Result<Self, ParseError> {
        let walker = Walker::of_texts(options.limits.parts)?;
        Self::with_walker(ir, walker, options)
    }

    /// A parser of tokens: what the blueprint means as a special token is read by
    /// [`Parser::push_token`] alone, and its spelling in other tokens is text.
    ///
    /// # Errors
    /// [`ParseError`] if a bound is crossed, or with this vocabulary delimiters overlap.
    pub fn of_tokens(
        ir: &Ir,
        vocabulary: &Vocabulary,
        options: ParseOptions,
    ) -> Result<Self, ParseError> {
        let walker = Walker::of_tokens(vocabulary, options.limits.parts)?;
        Self::with_walker(ir, walker, options)
    }

    fn with_walker(ir: &Ir, walker: Walker, options: ParseOptions) -> Result<Self, ParseError> {
        let skeleton = Skeleton::new(ir, options.limits, walker.vocabulary())?;
        let readings = Readings::new(skeleton, walker, options.limits)?;
        let mut teller = Teller::new(options.limits.nesting_max);
        teller.restart(true);
        let (text, tail, specials) = (String::new(), Vec::new(), Vec::new());
        let (stops, state) = (stop_tokens(ir), State::Reading);
        Ok(Self { readings, teller, text, tail, specials, options, stops, state })
    }

    /// Goes back to the beginning of a text.
    ///
    /// # Errors
    /// [`ParseError`] if a bound is crossed.
    pub fn restart(&mut self) -> Result<(), ParseError> {
        self.begin(true)
    }

    fn begin(&mut self, listened: bool) -> Result<(), ParseError> {
        self.readings.restart()?;
        self.teller.restart(listened);
        self.text.clear();
        self.tail.clear();
        self.specials.clear();
        self.state = State::Reading;
        Ok(())
    }

    /// The captures of `text`, whatever was read before.
    ///
    /// # Errors
    /// [`ParseError`] with the place where `text` does not fit.
    ///
    /// # Complexity
    /// O(text) for outlines whose readings stay few.
    pub fn parse(&mut self, text: &str) -> Result<Parsed, ParseError> {
        self.begin(false)?;
        let parsed = self.read(text).and_then(|()| self.finish());
        self.begin(true)?;
        parsed.map(|(_, parsed)| parsed)
    }

    /// Reads on; what is told are the events on which all readings of the text agree.
    ///
    /// # Errors
    /// [`ParseError`] with the place where the text does not fit; from then on every call
    /// returns it until [`Parser::restart`]. A lenient parser reads on as text instead.
    ///
    /// # Complexity
    /// O(`text`) for outlines whose readings stay few, whatever came before.
    pub fn push(&mut self, text: &str) -> Result<Vec<Event>, ParseError> {
        if self.tail.is_empty() {
            self.read(text)?;
            return Ok(self.teller.take());
        }
        self.push_bytes(text.as_bytes())
    }

    /// Reads on; a character may be cut.
    ///
    /// # Errors
    /// As [`Parser::push`], and for bytes that are no UTF-8.
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Result<Vec<Event>, ParseError> {
        let mut joined;
        let mut rest = bytes;
        if !self.tail.is_empty() {
            joined = mem::take(&mut self.tail);
            joined.extend(bytes);
            rest = &joined;
        }
        match str::from_utf8(rest) {
            Ok(text) => self.read(text)?,
            Err(error) => {
                let (valid, more) = rest.split_at(error.valid_up_to());
                self.read(str::from_utf8(valid).unwrap_or_default())?;
                if error.error_len().is_some() {
                    return Err(self.fail(ParseError::Utf8 { at: self.text.len() }));
                }
                self.tail = more.to_vec();
            }
        }
        Ok(self.teller.take())
    }

    /// Reads a token of `vocabulary`. A parser of texts reads a special token as its spelling; a
    /// parser of tokens as itself, and one that ends the turn may come where the text may end.
    ///
    /// # Errors
    /// As [`Parser::push_bytes`]; a token that the vocabulary lacks is no text.
    pub fn push_token(
        &mut self,
        token: TokenId,
        vocabulary: &Vocabulary,
    ) -> Result<Vec<Event>, ParseError> {
        let spelling = match vocabulary.token(token) {
            Token::Bytes(bytes) => {
                // Where the blueprint names the token itself, that is what is meant.
                let named = self.readings.walker().names_tokens() && self.tail.is_empty();
                match str::from_utf8(bytes) {
                    Ok(spelling) if named && self.moves(token, spelling)? => {
                        return Ok(self.teller.take());
                    }
                    _ => return self.push_bytes(bytes),
                }
            }
            Token::Special(spelling) => spelling.clone(),
            Token::Absent => return Err(ParseError::NoToken { token: token.0 }),
        };
        if self.readings.walker().vocabulary().is_none() {
            return self.push(&spelling);
        }
        self.read_token(token, &spelling, vocabulary.stop_tokens().contains(&token))?;
        Ok(self.teller.take())
    }

    /// Reads a token that the blueprint names, if it does here.
    fn moves(&mut self, token: TokenId, spelling: &str) -> Result<bool, ParseError> {
        self.check()?;
        if !matches!(self.state, State::Reading) {
            return Ok(false);
        }
        let moved = self.readings.step(Symbol::Token(token), past(&self.text, &self.specials));
        if !moved.map_err(|error| self.fail(error))? {
            return Ok(false);
        }
        let at = self.text.len();
        self.specials.push((at, at + spelling.len()));
        self.text.push_str(spelling);
        self.settle()?;
        Ok(true)
    }

    fn read_token(
        &mut self,
        token: TokenId,
        spelling: &str,
        stops: bool,
    ) -> Result<(), ParseError> {
        self.check()?;
        if !self.tail.is_empty() {
            return Err(self.fail(ParseError::Utf8 { at: self.text.len() }));
        }
        if self.moves(token, spelling)? {
            return Ok(());
        }
        if matches!(self.state, State::Reading) {
            let past = past(&self.text, &self.specials);
            if stops && self.readings.ending(past)?.is_some() {
                return Ok(());
            }
            self.leave(self.text.len())?;
        }
        self.text.push_str(spelling);
        self.settle()
    }

    fn check(&self) -> Result<(), ParseError> {
        match &self.state {
            State::Failed(error) => Err(error.clone()),
            State::Reading | State::Left(_) => Ok(()),
        }
    }

    fn fail(&mut self, error: ParseError) -> ParseError {
        self.state = State::Failed(error.clone());
        error
    }

    fn read(&mut self, text: &str) -> Result<(), ParseError> {
        self.check()?;
        let from = self.text.len();
        self.text.push_str(text);
        if matches!(self.state, State::Reading) {
            let read = self.readings.read(&self.text, from, &self.specials);
            let at = read.map_err(|error| self.fail(error))?;
            if at < self.text.len() {
                self.leave(at)?;
            }
        }
        self.settle()
    }

    /// Takes in what all readings agree on.
    fn settle(&mut self) -> Result<(), ParseError> {
        if matches!(self.state, State::Left(_)) {
            self.teller.text_to(self.text.len(), &self.text, self.readings.skeleton());
            return Ok(());
        }
        while let Some((mark, at)) = self.readings.marks.settle() {
            let told = self.teller.mark(mark, at, &self.text, self.readings.skeleton());
            told.map_err(|error| self.fail(error))?;
        }
        if self.teller.is_listened() {
            let agreed = self.readings.agreed(&self.text);
            self.teller.text_to(agreed, &self.text, self.readings.skeleton());
        }
        Ok(())
    }

    /// The text does not fit from byte `at` on.
    fn leave(&mut self, at: usize) -> Result<(), ParseError> {
        let expected = self.readings.expected(past(&self.text[..at], &self.specials))?;
        let mismatch = Mismatch::new(&self.text, at, expected);
        let skeleton = self.readings.skeleton();
        for (mark, at) in self.readings.preferred() {
            self.teller.mark(mark, at, &self.text, skeleton)?;
        }
        let from = self.teller.leave(mismatch.at, &self.text, skeleton)?;
        let left = Left { from, mismatch };
        match self.options.strictness {
            Strictness::Lenient => {
                self.teller.left(&left, &self.text);
                self.state = State::Left(left);
                Ok(())
            }
            Strictness::Strict => {
                let read = Box::new(self.teller.parsed(&self.text, Some(left.clone())));
                Err(self.fail(ParseError::Mismatch { mismatch: left.mismatch, read }))
            }
        }
    }

    /// Ends the text: the last events, and all that was read.
    ///
    /// # Errors
    /// [`ParseError`] if the text breaks off.
    pub fn finish(&mut self) -> Result<(Vec<Event>, Parsed), ParseError> {
        self.check()?;
        if !self.tail.is_empty() {
            return Err(self.fail(ParseError::Utf8 { at: self.text.len() }));
        }
        if matches!(self.state, State::Reading) {
            let end = self.text.len();
            match self.ending()? {
                Some(marks) => {
                    let skeleton = self.readings.skeleton();
                    for (mark, at) in marks {
                        self.teller.mark(mark, at.min(end), &self.text, skeleton)?;
                    }
                    self.teller.text_to(end, &self.text, skeleton);
                }
                None => self.leave(end)?,
            }
        }
        let left = match mem::replace(&mut self.state, State::Reading) {
            State::Left(left) => Some(left),
            State::Reading | State::Failed(_) => None,
        };
        let events = self.teller.take();
        let parsed = self.teller.parsed(&self.text, left);
        self.begin(true)?;
        Ok((events, parsed))
    }

    /// The marks to the end of the preferred reading that may end here, or after a stop token.
    fn ending(&mut self) -> Result<Option<Vec<(Mark, usize)>>, ParseError> {
        let mut found = self.readings.ending(past(&self.text, &self.specials))?;
        for stop in 0..self.stops.len() {
            if found.is_some() {
                break;
            }
            let saved = self.readings.saved();
            let stop = self.stops[stop].clone();
            found = self.stopped(&stop)?;
            self.readings.restore(saved);
        }
        Ok(found)
    }

    /// The marks to the end of the preferred reading that may end after `stop`.
    fn stopped(&mut self, stop: &str) -> Result<Option<Vec<(Mark, usize)>>, ParseError> {
        let mut text = self.text.clone().into_bytes();
        let mut specials = self.specials.clone();
        let vocabulary = self.readings.walker().vocabulary();
        if let Some(token) = vocabulary.and_then(|known| known.special_id(stop)) {
            if !self.readings.step(Symbol::Token(token), past(&text, &specials))? {
                return Ok(None);
            }
            specials.push((text.len(), text.len() + stop.len()));
            text.extend(stop.bytes());
        } else {
            for byte in stop.bytes() {
                if !self.readings.step(Symbol::Byte(byte), past(&text, &specials))? {
                    return Ok(None);
                }
                text.push(byte);
            }
        }
        self.readings.ending(past(&text, &specials))
    }
}

fn past<'a>(text: &'a (impl AsRef<[u8]> + ?Sized), specials: &'a [(usize, usize)]) -> Past<'a> {
    Past { text: text.as_ref(), specials }
}

impl std::fmt::Debug for Parser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parser").field("text", &self.text).finish_non_exhaustive()
    }
}
