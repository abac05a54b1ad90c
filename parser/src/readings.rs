//! The open readings of a text, the preferred first, and how a byte moves them.
//!
//! A reading is inside a piece. It leaves the piece only when a byte comes that something after
//! the piece reads, so a text with one reading costs a step of the piece's automaton a byte.
//! Of two readings that stand at the same place the preferred one stays (Pike's rule).

use std::rc::Rc;

use blueprints_compiler::ir::machine::Value;
use blueprints_runtime::{Place, TokenId, Walker};
use rustc_hash::FxHashSet;

use crate::error::{Bound, ParseError};
use crate::exits::{Due, Exit, Exits, Ground};
use crate::limits::ParserLimits;
use crate::marks::{Mark, MarkId, Marks};
use crate::rows::Rows;
use crate::skeleton::{NodeId, PieceId, Skeleton};
use crate::stack::{FrameId, Stack};

/// One reading of the text.
#[derive(Clone)]
struct Reading {
    piece: PieceId,
    /// Where in the piece; `None` at the beginning of the text, before any piece.
    place: Option<Place>,
    /// Whether the piece may end here.
    may_end: bool,
    frame: FrameId,
    /// The byte at which the piece began.
    begun: usize,
    marks: MarkId,
    /// What may be read after the piece, where no trigger ended it.
    exit: Option<Rc<Exit>>,
}

/// A symbol of the text.
#[derive(Clone, Copy)]
pub(crate) enum Symbol {
    Byte(u8),
    /// A special token.
    Token(TokenId),
}

/// What was read.
#[derive(Clone, Copy)]
pub(crate) struct Past<'a> {
    pub(crate) text: &'a [u8],
    /// Where special tokens stand in it, ascending.
    pub(crate) specials: &'a [(usize, usize)],
}

/// All open readings.
pub(crate) struct Readings {
    skeleton: Skeleton,
    stack: Stack,
    exits: Exits,
    walker: Walker,
    rows: Rows,
    limits: ParserLimits,
    open: Vec<Reading>,
    /// Room for the next ones.
    moved: Moved,
    pub(crate) marks: Marks,
}

/// Readings that were kept.
pub(crate) struct Saved(Vec<Reading>);

/// The readings to come, without those that repeat another.
#[derive(Default)]
struct Moved {
    open: Vec<Reading>,
    /// Where they stand, once there are more than [`COMPARED_MAX`].
    seen: FxHashSet<Stand>,
}

/// What two readings have in common that repeat each other.
type Stand = (PieceId, Place, FrameId, usize);

/// So many readings are compared one by one.
const COMPARED_MAX: usize = 8;

/// What may be read after a piece, in order of preference.
enum Ways {
    One(Rc<Exit>),
    Many(Vec<Rc<Exit>>),
}

impl Readings {
    pub(crate) fn new(
        skeleton: Skeleton,
        walker: Walker,
        limits: ParserLimits,
    ) -> Result<Self, ParseError> {
        let mut readings = Self {
            skeleton,
            stack: Stack::new(limits.frames_max),
            exits: Exits::default(),
            walker,
            rows: Rows::new(limits.rows_max),
            limits,
            open: Vec::new(),
            moved: Moved::default(),
            marks: Marks::new(limits.pending_max),
        };
        readings.restart()?;
        Ok(readings)
    }

    /// Goes back to the beginning of a text.
    pub(crate) fn restart(&mut self) -> Result<(), ParseError> {
        let start = self.skeleton.start();
        let exit = self.exit(start, FrameId::ROOT)?;
        self.marks.restart();
        let marks = self.marks.root();
        self.marks.keep(marks);
        self.open = vec![Reading {
            piece: PieceId(0),
            place: None,
            may_end: true,
            frame: FrameId::ROOT,
            begun: 0,
            marks,
            exit: Some(exit),
        }];
        Ok(())
    }

    pub(crate) fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    pub(crate) fn walker(&self) -> &Walker {
        &self.walker
    }

    fn exit(&mut self, node: NodeId, frame: FrameId) -> Result<Rc<Exit>, ParseError> {
        let ground = Ground {
            skeleton: &mut self.skeleton,
            stack: &mut self.stack,
            walker: &self.walker,
            limits: &self.limits,
        };
        self.exits.of(ground, node, frame)
    }

    /// Reads `text` from byte `from` on; returns the byte up to which it fits.
    ///
    /// # Complexity
    /// O(1) a byte for each reading; nothing depends on what came before.
    pub(crate) fn read(
        &mut self,
        text: &str,
        from: usize,
        specials: &[(usize, usize)],
    ) -> Result<usize, ParseError> {
        let bytes = text.as_bytes();
        let mut at = from;
        while at < bytes.len() {
            at = self.run(bytes, at)?;
            if at == bytes.len() {
                break;
            }
            let past = Past { text: &bytes[..at], specials };
            if !self.step(Symbol::Byte(bytes[at]), past)? {
                break;
            }
            at += 1;
        }
        Ok(at)
    }

    /// Reads on as long as there is one reading, which stays in its piece.
    fn run(&mut self, bytes: &[u8], mut at: usize) -> Result<usize, ParseError> {
        let [reading] = &self.open[..] else { return Ok(at) };
        let Some(place) = reading.place else { return Ok(at) };
        if self.skeleton.piece(reading.piece).heard.is_some() {
            return Ok(at);
        }
        let Some(mut row) = self.rows.of(place, &self.walker) else { return Ok(at) };
        let begun = at;
        if !self.rows.may_end(row) {
            (row, at) = self.rows.run(&self.walker, row, (bytes, at), None)?;
        }
        if self.rows.may_end(row) && at < bytes.len() {
            let exit = self.exit_of(0)?;
            (row, at) = self.rows.run(&self.walker, row, (bytes, at), Some(&exit.first))?;
        }
        if at > begun {
            self.open[0].place = Some(self.rows.place(row));
            self.open[0].may_end = self.rows.may_end(row);
        }
        Ok(at)
    }

    /// What may be read after the piece of reading `number`, where no trigger ended it.
    fn exit_of(&mut self, number: usize) -> Result<Rc<Exit>, ParseError> {
        let reading = &self.open[number];
        if let Some(exit) = &reading.exit {
            return Ok(exit.clone());
        }
        let (frame, next) = (reading.frame, self.skeleton.piece(reading.piece).after);
        let exit = self.exit(next, frame)?;
        self.open[number].exit = Some(exit.clone());
        Ok(exit)
    }

    /// What may be read after the piece of reading `number`, in order of preference.
    fn exits_of(&mut self, number: usize, past: Past<'_>) -> Result<Ways, ParseError> {
        let reading = &self.open[number];
        if !reading.may_end {
            return Ok(Ways::Many(Vec::new()));
        }
        let (piece, frame, begun) = (reading.piece, reading.frame, reading.begun);
        let mut fired = Vec::new();
        if reading.place.is_some()
            && let Some(triggers) = &self.skeleton.piece(piece).triggers
        {
            fired = triggers.fired(past, begun);
        }
        if fired.is_empty() {
            return Ok(Ways::One(self.exit_of(number)?));
        }
        let exits = fired.into_iter().map(|node| self.exit(node, frame));
        Ok(Ways::Many(exits.collect::<Result<_, _>>()?))
    }

    /// Moves all readings over `symbol`, which comes after `past`; whether any is left. If none
    /// is, they stay as they were.
    pub(crate) fn step(&mut self, symbol: Symbol, past: Past<'_>) -> Result<bool, ParseError> {
        let at = past.text.len();
        let mut moved = std::mem::take(&mut self.moved);
        moved.clear();
        for number in 0..self.open.len() {
            let ways = self.exits_of(number, past)?;
            let exits = ways.all();
            let reading = self.open[number].clone();
            let free = reading.place.is_some() && self.skeleton.piece(reading.piece).free;
            if free {
                self.leave(&reading, exits, (symbol, at), &mut moved)?;
            }
            self.stay(&reading, symbol, &mut moved)?;
            if !free {
                self.leave(&reading, exits, (symbol, at), &mut moved)?;
            }
            if moved.open.len() > self.limits.readings_max {
                return Err(Bound::Readings(self.limits.readings_max).into());
            }
        }
        if moved.open.is_empty() {
            return Ok(false);
        }
        std::mem::swap(&mut self.open, &mut moved.open);
        for old in &moved.open {
            self.marks.release(old.marks);
        }
        self.moved = moved;
        Ok(true)
    }

    fn walk(&self, place: Place, symbol: Symbol) -> Result<Option<Place>, ParseError> {
        Ok(match symbol {
            Symbol::Byte(byte) => self.walker.step(place, byte)?,
            Symbol::Token(token) => self.walker.step_token(place, token)?,
        })
    }

    /// Goes on in the piece.
    fn stay(
        &mut self,
        reading: &Reading,
        symbol: Symbol,
        moved: &mut Moved,
    ) -> Result<(), ParseError> {
        let Some(place) = reading.place else { return Ok(()) };
        let Some(place) = self.walk(place, symbol)? else { return Ok(()) };
        let mut next = Reading { place: Some(place), ..reading.clone() };
        if self.hears(&mut next, symbol)? && moved.is_new(&next, &self.skeleton) {
            next.may_end = self.walker.may_end(place);
            self.marks.keep(next.marks);
            moved.open.push(next);
        }
        Ok(())
    }

    /// Goes on after the piece.
    fn leave(
        &mut self,
        reading: &Reading,
        exits: &[Rc<Exit>],
        (symbol, at): (Symbol, usize),
        moved: &mut Moved,
    ) -> Result<(), ParseError> {
        for exit in exits {
            if let Symbol::Byte(byte) = symbol
                && !exit.first.contains(byte)
            {
                continue;
            }
            for target in &exit.targets {
                let Some(place) = self.walk(target.place, symbol)? else { continue };
                let mut next = Reading {
                    piece: target.piece,
                    place: Some(place),
                    may_end: self.walker.may_end(place),
                    frame: target.frame,
                    begun: at,
                    marks: reading.marks,
                    exit: None,
                };
                if self.hears(&mut next, symbol)? && moved.is_new(&next, &self.skeleton) {
                    next.marks = self.marked(next.marks, &target.marks, at)?;
                    self.marks.keep(next.marks);
                    moved.open.push(next);
                }
            }
        }
        Ok(())
    }

    fn marked(&mut self, mut marks: MarkId, due: &Due, at: usize) -> Result<MarkId, ParseError> {
        for (mark, ago) in due {
            marks = self.marks.after(marks, *mark, at.saturating_sub(*ago))?;
        }
        Ok(marks)
    }

    /// Tells the machine around the piece of the byte; whether it allows that.
    fn hears(&mut self, reading: &mut Reading, symbol: Symbol) -> Result<bool, ParseError> {
        let Some(machine) = self.skeleton.piece(reading.piece).heard else { return Ok(true) };
        let Symbol::Byte(byte) = symbol else { return Ok(false) };
        let machine = self.skeleton.machines[machine as usize].clone();
        let change = |value: &Value| machine.read(value, byte);
        let Some(frame) = self.stack.with_register(reading.frame, change)? else {
            return Ok(false);
        };
        reading.frame = frame;
        reading.exit = None;
        Ok(true)
    }

    /// The preferred reading that may end after `past`: its marks, and those to its end.
    pub(crate) fn ending(
        &mut self,
        past: Past<'_>,
    ) -> Result<Option<Vec<(Mark, usize)>>, ParseError> {
        for number in 0..self.open.len() {
            for exit in self.exits_of(number, past)?.all() {
                let Some(end) = &exit.end else { continue };
                let mut path = self.marks.path(self.open[number].marks);
                let due =
                    end.iter().map(|(mark, ago)| (*mark, past.text.len().saturating_sub(*ago)));
                path.extend(due);
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// The readings as they are now, for [`Readings::restore`].
    pub(crate) fn saved(&mut self) -> Saved {
        self.open.iter().for_each(|reading| self.marks.keep(reading.marks));
        Saved(self.open.clone())
    }

    /// Goes back to `saved`.
    pub(crate) fn restore(&mut self, saved: Saved) {
        for reading in std::mem::replace(&mut self.open, saved.0) {
            self.marks.release(reading.marks);
        }
    }

    /// The marks of the preferred reading that are not settled.
    pub(crate) fn preferred(&self) -> Vec<(Mark, usize)> {
        self.open.first().map_or_else(Vec::new, |reading| self.marks.path(reading.marks))
    }

    /// The byte up to which all readings agree on what is in which capture, after `text`.
    pub(crate) fn agreed(&self, text: &str) -> usize {
        let mut agreed = self.marks.agreed(text.len());
        for reading in &self.open {
            if reading.place.is_some()
                && let Some(triggers) = &self.skeleton.piece(reading.piece).triggers
            {
                let run = text.get(reading.begun..).unwrap_or_default();
                agreed = agreed.min(text.len() - triggers.held_back(run));
            }
        }
        agreed
    }

    /// What could stand after `past`, in words.
    pub(crate) fn expected(&mut self, past: Past<'_>) -> Result<String, ParseError> {
        let (mut places, mut ends) = (Vec::new(), false);
        for number in 0..self.open.len() {
            places.extend(self.open[number].place);
            for exit in self.exits_of(number, past)?.all() {
                places.extend(exit.targets.iter().map(|target| target.place));
                ends |= exit.end.is_some();
            }
        }
        places.sort_unstable();
        places.dedup();
        Ok(self.walker.expected(&places, ends)?)
    }
}

impl Ways {
    fn all(&self) -> &[Rc<Exit>] {
        match self {
            Self::One(exit) => std::slice::from_ref(exit),
            Self::Many(exits) => exits,
        }
    }
}

impl Moved {
    fn clear(&mut self) {
        self.open.clear();
        self.seen.clear();
    }

    /// Whether no preferred reading stands where `reading` does.
    fn is_new(&mut self, reading: &Reading, skeleton: &Skeleton) -> bool {
        let Some(stand) = reading.stand(skeleton) else { return false };
        if self.open.len() < COMPARED_MAX {
            return self.open.iter().all(|other| other.stand(skeleton) != Some(stand));
        }
        if self.seen.is_empty() {
            self.seen.extend(self.open.iter().filter_map(|other| other.stand(skeleton)));
        }
        self.seen.insert(stand)
    }
}

impl Reading {
    fn stand(&self, skeleton: &Skeleton) -> Option<Stand> {
        let triggers = skeleton.piece(self.piece).triggers.as_ref();
        let nested = triggers.is_some_and(|triggers| triggers.nested);
        Some((self.piece, self.place?, self.frame, if nested { self.begun } else { 0 }))
    }
}
