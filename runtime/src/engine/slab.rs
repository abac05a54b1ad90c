//! A list that grows at its end while others read it without a lock.
//!
//! Elements stand in chunks of doubling size that never move. One writer at a time appends; the
//! engine's lock sees to that.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The first chunk holds `1 << FIRST` elements, each further one twice as many.
const FIRST: u32 = 5;
const CHUNKS: usize = 27;

type Chunk<T> = OnceLock<Box<[OnceLock<T>]>>;

pub(crate) struct Slab<T> {
    chunks: [Chunk<T>; CHUNKS],
    length: AtomicU32,
}

impl<T> Slab<T> {
    pub(crate) fn new() -> Self {
        Self { chunks: std::array::from_fn(|_| OnceLock::new()), length: AtomicU32::new(0) }
    }

    pub(crate) fn len(&self) -> usize {
        self.length.load(Ordering::Acquire) as usize
    }

    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        let (chunk, offset) = place(index);
        self.chunks.get(chunk)?.get()?.get(offset)?.get()
    }

    /// Appends `element` and returns its index.
    pub(crate) fn push(&self, element: T) -> u32 {
        let index = self.length.load(Ordering::Acquire);
        let (chunk, offset) = place(index);
        let size = 1_usize << (FIRST as usize + chunk);
        let chunk = self.chunks[chunk.min(CHUNKS - 1)]
            .get_or_init(|| (0..size).map(|_| OnceLock::new()).collect());
        // A second writer would find the place taken; the engine's lock keeps it out.
        let _ = chunk[offset].set(element);
        self.length.store(index + 1, Ordering::Release);
        index
    }
}

fn place(index: u32) -> (usize, usize) {
    let shifted = u64::from(index) + (1 << FIRST);
    let level = 63 - shifted.leading_zeros() - FIRST;
    (level as usize, (shifted - (1 << (FIRST + level))) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stay_where_they_were_put() {
        let slab = Slab::new();
        for index in 0..1000_u32 {
            assert_eq!(slab.push(index), index);
        }
        assert!((0..1000).all(|index| slab.get(index) == Some(&index)));
        assert_eq!((slab.get(1000), slab.len()), (None, 1000));
    }
}
