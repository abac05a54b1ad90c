//! Classes of bytes that a state cannot tell apart.

use std::sync::Arc;

use blueprints_compiler::ir::ByteSet;
use rustc_hash::FxHashMap;

/// The byte classes of a state; class 0 is the bytes that lead nowhere.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    classes: [u8; 256],
    /// One byte of each class but class 0.
    samples: Vec<u8>,
    /// The bytes of all classes but class 0.
    reads: ByteSet,
}

impl Shape {
    /// The class of `byte`.
    pub(crate) fn class(&self, byte: u8) -> usize {
        usize::from(self.classes[usize::from(byte)])
    }

    /// The bytes that may lead on.
    pub(crate) fn reads(&self) -> ByteSet {
        self.reads
    }

    /// One byte of each class that leads on, in order of the classes from 1.
    pub(crate) fn samples(&self) -> &[u8] {
        &self.samples
    }
}

/// Shapes, each kept once.
#[derive(Default)]
pub(crate) struct Shapes {
    all: FxHashMap<[u8; 256], Arc<Shape>>,
    merged: FxHashMap<Vec<usize>, Arc<Shape>>,
}

impl Shapes {
    /// The shape that tells apart what any of `shapes` does.
    pub(crate) fn merged(&mut self, shapes: &[&Arc<Shape>]) -> Arc<Shape> {
        if let [one] = shapes {
            return Arc::clone(one);
        }
        let key: Vec<usize> = shapes.iter().map(|shape| Arc::as_ptr(shape).addr()).collect();
        if let Some(known) = self.merged.get(&key) {
            return known.clone();
        }
        let ranges = shapes.iter().flat_map(|shape| {
            let classes = &shape.classes;
            let last = |from: usize| {
                let same = classes[from..].iter().take_while(|&&class| class == classes[from]);
                from + same.count() - 1
            };
            let mut from = 0;
            std::iter::from_fn(move || {
                while from < classes.len() {
                    let (begin, end) = (from, last(from));
                    from = end + 1;
                    if classes[begin] != 0 {
                        return Some((begin as u8, end as u8));
                    }
                }
                None
            })
        });
        let ranges: Vec<(u8, u8)> = ranges.collect();
        let merged = self.of(ranges.into_iter(), std::iter::empty());
        // The shapes stay: this list keeps all it has made, and those of others are kept with it.
        for shape in shapes {
            self.all.entry(shape.classes).or_insert_with(|| Arc::clone(shape));
        }
        self.merged.insert(key, merged.clone());
        merged
    }

    /// The shape of a state that reads these inclusive ranges. The bytes of a range in `single`
    /// are classes of their own.
    pub(crate) fn of(
        &mut self,
        ranges: impl Iterator<Item = (u8, u8)> + Clone,
        single: impl Iterator<Item = (u8, u8)>,
    ) -> Arc<Shape> {
        let mut borders = [0_u64; 5];
        let mut mark = |at: u16| borders[usize::from(at / 64)] |= 1 << (at % 64);
        let mut reads = ByteSet::default();
        for (low, high) in ranges {
            mark(u16::from(low));
            mark(u16::from(high) + 1);
            reads.insert_range(low, high);
        }
        for (low, high) in single {
            (u16::from(low)..=u16::from(high) + 1).for_each(&mut mark);
            reads.insert_range(low, high);
        }
        let (mut classes, mut samples) = ([0_u8; 256], Vec::new());
        // What stands between two borders is read by the same ranges.
        let mut low = 0_usize;
        while low < classes.len() {
            let high = next_border(&borders, low + 1);
            if reads.contains(low as u8) {
                // 255 classes at most: with 256 of one byte each, the last two share one, and the
                // engine never asks for more than 255, as no UTF-8 text has bytes from 0xF8 on.
                if samples.len() < usize::from(u8::MAX) {
                    samples.push(low as u8);
                }
                classes[low..high].fill(samples.len() as u8);
            }
            low = high;
        }
        let shared = self.all.entry(classes);
        shared.or_insert_with(|| Arc::new(Shape { classes, samples, reads })).clone()
    }
}

/// The first border from `from` on, or the end of all bytes.
fn next_border(borders: &[u64; 5], from: usize) -> usize {
    let mut at = from;
    while at < 256 {
        let rest = borders[at / 64] >> (at % 64);
        if rest != 0 {
            return at + rest.trailing_zeros() as usize;
        }
        at = (at / 64 + 1) * 64;
    }
    256
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_the_same_ranges_are_one_class() {
        let mut shapes = Shapes::default();
        let shape = shapes.of([(b'a', b'z'), (b'm', b'm')].into_iter(), std::iter::empty());
        assert_eq!(shape.samples(), b"amn");
        assert_eq!(shape.class(b'b'), shape.class(b'a'));
        assert_ne!(shape.class(b'n'), shape.class(b'a'));
        assert_eq!((shape.class(b'A'), shape.class(0xFF)), (0, 0));
        let all = shapes.of([(0, 0xFF)].into_iter(), [(b'0', b'9')].into_iter());
        assert_eq!(all.samples(), b"\x000123456789:");
    }
}
