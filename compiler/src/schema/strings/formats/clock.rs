//! Dates, times and durations of RFC 3339, with months, leap years and leap seconds.
//!
//! A leap second is the last one of a day in UTC: `23:59:60` less the offset. As an automaton
//! that takes a state for each minute of the day, for each character behind it; as text it is a
//! counter of minutes, which the offset is compared with.

use std::sync::Arc;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::super::spelled::{Spelling, edges};
use super::automaton_of;
use crate::chars::automaton::{Automaton, Letters, Steps, TooLarge, explore};
use crate::ir::machine::{Action, Condition, Counters, Effect};
use crate::ir::{Ir, Machine, State};

/// The minutes of a day.
const DAY: u16 = 24 * 60;

const DATE: &str = concat!(
    r"(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]",
    r"|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))|(?:\d\d(?:0[48]|[2468][048]|[13579][26])",
    r"|(?:[02468][048]|[13579][26])00)-02-29)",
);

/// `full-date`.
pub(super) fn date() -> Result<Automaton, TooLarge> {
    automaton_of(&format!("^{DATE}$"))
}

/// `duration` of appendix A.
pub(super) fn duration() -> Result<Automaton, TooLarge> {
    let time = r"T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)";
    let date = r"(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)";
    automaton_of(&format!("^P(?:\\d+W|{date}(?:{time})?|{time})$"))
}

/// `full-time`.
pub(super) fn time() -> Result<Automaton, TooLarge> {
    clock(Clock::Hour)
}

/// `date-time`.
pub(super) fn date_time() -> Result<Automaton, TooLarge> {
    let date = automaton_of(&format!("^{DATE}[Tt]"))?;
    let (letters, pairs) = date.letters().refined(&Letters::singles(&alphabet()));
    let samples: Vec<char> = letters.sets().iter().map(|set| set.ranges()[0].start()).collect();
    let begun = |state: u32| match date.settled(state) {
        Some(0) => Part::Time(Clock::Dead),
        Some(_) => Part::Time(Clock::Hour),
        None => Part::Date(state),
    };
    let step = |state: &Part, letter: u32| match *state {
        Part::Date(state) => begun(date.row(state).to(pairs[letter as usize].0)),
        Part::Time(clock) => Part::Time(clock.step(samples[letter as usize])),
    };
    let steps = |state: &Part| {
        let all = (0..letters.count()).map(|letter| (letter, step(state, letter)));
        let others = all.filter(|(_, to)| *to != Part::Time(Clock::Dead)).collect();
        Ok(Steps { default: Part::Time(Clock::Dead), others })
    };
    explore(letters.clone(), begun(0), steps, |state| u32::from(*state == Part::Time(Clock::End)))
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Date(u32),
    Time(Clock),
}

fn alphabet() -> Vec<char> {
    "+-.0123456789:Zz".chars().collect()
}

fn clock(start: Clock) -> Result<Automaton, TooLarge> {
    let alphabet = alphabet();
    let letters = Letters::singles(&alphabet);
    let steps = |state: &Clock| {
        let all = alphabet.iter().map(|&character| (letters.of(character), state.step(character)));
        let mut others: Vec<(u32, Clock)> = all.filter(|step| step.1 != Clock::Dead).collect();
        others.sort_by_key(|step| step.0);
        Ok(Steps { default: Clock::Dead, others })
    };
    explore(letters.clone(), start, steps, |state| u32::from(*state == Clock::End))
}

/// How far a time is read. Minutes of the day are kept until it is known that the second is no
/// leap second; after it, `Some` of them are left for the offset to match.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Clock {
    Hour,
    HourUnit(u16),
    HourEnd(u16),
    Minute(u16),
    MinuteUnit(u16),
    MinuteEnd(u16),
    Second(u16),
    SecondUnit(Option<u16>),
    SecondEnd(Option<u16>),
    Fraction(Option<u16>),
    FractionMore(Option<u16>),
    /// The offset's digits left, and the offset that they must make.
    Offset(u8, Option<u16>),
    End,
    Dead,
}

impl Clock {
    fn step(self, character: char) -> Self {
        let digit = character.to_digit(10).map(|digit| digit as u16);
        let below = |most: u16| digit.filter(|digit| *digit < most);
        let colon = character == ':';
        match self {
            Self::Hour => below(3).map_or(Self::Dead, |digit| Self::HourUnit(digit * 600)),
            Self::HourUnit(tens) => below(if tens == 1200 { 4 } else { 10 })
                .map_or(Self::Dead, |digit| Self::HourEnd(tens + digit * 60)),
            Self::HourEnd(minutes) if colon => Self::Minute(minutes),
            Self::Minute(hour) => {
                below(6).map_or(Self::Dead, |digit| Self::MinuteUnit(hour + digit * 10))
            }
            Self::MinuteUnit(minutes) => {
                digit.map_or(Self::Dead, |digit| Self::MinuteEnd(minutes + digit))
            }
            Self::MinuteEnd(minutes) if colon => Self::Second(minutes),
            Self::Second(minutes) if digit == Some(6) => Self::SecondUnit(Some(minutes)),
            Self::Second(_) => below(6).map_or(Self::Dead, |_| Self::SecondUnit(None)),
            Self::SecondUnit(Some(minutes)) if digit == Some(0) => Self::SecondEnd(Some(minutes)),
            Self::SecondUnit(None) if digit.is_some() => Self::SecondEnd(None),
            Self::SecondEnd(leap) if character == '.' => Self::Fraction(leap),
            Self::Fraction(leap) | Self::FractionMore(leap) if digit.is_some() => {
                Self::FractionMore(leap)
            }
            Self::SecondEnd(leap) | Self::FractionMore(leap) => Self::offset(leap, character),
            Self::Offset(left, wanted) => Self::offset_step(left, wanted, character),
            _ => Self::Dead,
        }
    }

    fn offset(leap: Option<u16>, character: char) -> Self {
        match character {
            'Z' | 'z' if leap.is_none_or(|minutes| minutes == DAY - 1) => Self::End,
            '+' => Self::Offset(5, leap.map(|minutes| (minutes + 1) % DAY)),
            '-' => Self::Offset(5, leap.map(|minutes| DAY - 1 - minutes)),
            _ => Self::Dead,
        }
    }

    /// `left` of `hh:mm` are left, of an offset that must be `wanted`. Without one, what was
    /// read of the hour stands in its place.
    fn offset_step(left: u8, wanted: Option<u16>, character: char) -> Self {
        let digit = character.to_digit(10).map(|digit| digit as u16);
        if left == 3 {
            return if character == ':' { Self::Offset(2, wanted) } else { Self::Dead };
        }
        let Some(digit) = digit else { return Self::Dead };
        let next = match (left, wanted) {
            (1, None) => Some(None),
            (1, Some(wanted)) => (wanted % 10 == digit).then_some(None),
            (2, None) => (digit < 6).then_some(None),
            (2, Some(wanted)) => (wanted % 60 / 10 == digit).then_some(Some(wanted % 10)),
            (5, None) if digit == 2 => return Self::Offset(6, None),
            (5, None) => (digit < 2).then_some(None),
            (5, Some(wanted)) => (wanted / 600 == digit).then_some(Some(wanted % 600)),
            // After a `2` without an offset that is wanted.
            (6, _) => (digit < 4).then_some(None),
            (_, None) => Some(None),
            (_, Some(wanted)) => (wanted % 600 / 60 == digit).then_some(Some(wanted % 60)),
        };
        let after = if left == 6 { 3 } else { left - 1 };
        match next {
            None => Self::Dead,
            Some(_) if after == 0 => Self::End,
            Some(wanted) => Self::Offset(after, wanted),
        }
    }
}

/// `full-time` as text.
pub(super) fn write_time(spelling: Spelling) -> Result<Ir, TooLarge> {
    Ok(Writer::new(spelling).whole(Ir::empty()))
}

/// `date-time` as text.
pub(super) fn write_date_time(spelling: Spelling) -> Result<Ir, TooLarge> {
    let date = edges(&date()?, &mut *spelling.characters(), &|_| None);
    let mut writer = Writer::new(spelling);
    let t = writer.one_of("Tt");
    Ok(writer.whole(Ir::sequence([date, t])))
}

/// Writes a time as an automaton with a counter of the minutes of the day.
struct Writer {
    spelling: Spelling,
    characters: Box<dyn crate::chars::spelling::Spelling>,
    actions: Vec<Action>,
}

impl Writer {
    fn new(spelling: Spelling) -> Self {
        Self { spelling, characters: spelling.characters(), actions: Vec::new() }
    }

    fn one_of(&mut self, characters: &str) -> Ir {
        let ranges = characters.chars().map(|c| ClassUnicodeRange::new(c, c));
        self.characters.class(&ClassUnicode::new(ranges))
    }

    fn act(&mut self, when: Condition, effects: Vec<Effect>) -> Ir {
        let action = Action { when, effects };
        let at = self.actions.iter().position(|known| *known == action);
        let at = at.unwrap_or_else(|| {
            self.actions.push(action);
            self.actions.len() - 1
        });
        Ir::act(at as u32)
    }

    /// Digits below `most`, each of which adds `weight` times itself.
    fn adding(&mut self, most: u32, weight: u32) -> Vec<Ir> {
        let digits = (0..most).map(|digit| {
            let effects = vec![Effect::Add { counter: 0, by: digit * weight }];
            let text = self.one_of(&digit.to_string());
            let act = if digit == 0 { Ir::empty() } else { self.act(Condition::Always, effects) };
            Ir::sequence([text, act])
        });
        digits.collect()
    }

    /// Minutes of the day for which `is`, as a condition on the counter.
    fn when(is: impl Fn(u16) -> bool) -> Condition {
        let mut intervals: Vec<(u16, u16)> = Vec::new();
        for minute in (0..DAY).filter(|&minute| is(minute)) {
            match intervals.last_mut() {
                Some(last) if last.1 == minute => last.1 += 1,
                _ => intervals.push((minute, minute + 1)),
            }
        }
        let between = |(begin, end): (u16, u16)| {
            let low = Condition::at_least(0, u32::from(begin));
            Condition::All(vec![low, Condition::below(0, u32::from(end))])
        };
        Condition::Any(intervals.into_iter().map(between).collect())
    }

    /// The digits of an offset: those that `digit_of` finds at one place of the offset that
    /// belongs to the minutes counted.
    fn matching(&mut self, most: u16, digit_of: impl Fn(u16) -> u16) -> Ir {
        let digits = (0..most).map(|digit| {
            let when = Self::when(|minute| digit_of(minute) == digit);
            Ir::sequence([self.one_of(&digit.to_string()), self.act(when, Vec::new())])
        });
        Ir::choice(digits.collect::<Vec<_>>())
    }

    fn leap_offset(&mut self, sign: &str, offset: impl Fn(u16) -> u16) -> Ir {
        let sign = self.one_of(sign);
        let tens = self.matching(3, |minute| offset(minute) / 600);
        let hour = self.matching(10, |minute| offset(minute) % 600 / 60);
        let colon = self.one_of(":");
        let minutes = self.matching(6, |minute| offset(minute) % 60 / 10);
        let units = self.matching(10, |minute| offset(minute) % 10);
        Ir::sequence([sign, tens, hour, colon, minutes, units])
    }

    fn whole(mut self, before: Ir) -> Ir {
        let digits = "0123456789";
        let colon = self.one_of(":");
        let hours = self.adding(3, 600);
        let units = self.adding(10, 60);
        let small = Ir::choice(units[..4].to_vec());
        let hour = Ir::choice([
            Ir::sequence([Ir::choice(hours[..2].to_vec()), Ir::choice(units)]),
            Ir::sequence([hours[2].clone(), small]),
        ]);
        let minute = Ir::sequence([
            Ir::choice(self.adding(6, 10)),
            Ir::choice(self.adding(10, 1)),
            colon.clone(),
        ]);
        let (any, zero, six) = (self.one_of(digits), self.one_of("0"), self.one_of("6"));
        let (tens, dot) = (self.one_of("012345"), self.one_of("."));
        let forget = self.act(Condition::Always, vec![Effect::Set { counter: 0, to: 0 }]);
        let (zulu, signs, one) = (self.one_of("Zz"), self.one_of("+-"), self.one_of("01"));
        let (two, four) = (self.one_of("2"), self.one_of("0123"));
        let offset = Ir::sequence([
            signs,
            Ir::choice([Ir::sequence([one, any.clone()]), Ir::sequence([two, four])]),
            colon.clone(),
            tens.clone(),
            any.clone(),
        ]);
        let last = self.act(Self::when(|minute| minute == DAY - 1), Vec::new());
        let leap = Ir::choice([
            Ir::sequence([zulu.clone(), last]),
            self.leap_offset("+", |minute| (minute + 1) % DAY),
            self.leap_offset("-", |minute| DAY - 1 - minute),
        ]);
        // The second with its fraction, then an offset: of any second, and of a leap second.
        let (quote, end) = (self.spelling.quote(), Ir::choice([zulu, offset]));
        let state = |edges: Vec<(Ir, usize)>| State { edges, accepting: false };
        let rest = Ir::automaton(vec![
            state(vec![(Ir::sequence([tens, forget]), 1), (six, 4)]),
            state(vec![(any.clone(), 2)]),
            state(vec![(dot.clone(), 3), (end.clone(), 7)]),
            state(vec![(any.clone(), 8)]),
            state(vec![(zero, 5)]),
            state(vec![(dot, 6), (leap.clone(), 7)]),
            state(vec![(any.clone(), 9)]),
            State { edges: Vec::new(), accepting: true },
            state(vec![(any.clone(), 8), (end, 7)]),
            state(vec![(any, 9), (leap, 7)]),
        ]);
        let body = Ir::sequence([quote.clone(), before, hour, colon, minute, rest, quote]);
        Ir::tracked(body, Arc::new(Machine::Counters(Counters::new(1, self.actions))))
    }
}
