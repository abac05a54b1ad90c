//! What one layer remembers of the tokens it has seen, so that each is fed once.

use candle_core::{Result, Tensor};

/// Rows along dimension `axis` that can be appended and dropped from the end.
///
/// The buffer doubles when it is full, so appending costs O(rows appended) on average.
#[derive(Debug)]
pub(crate) struct Rows {
    axis: usize,
    length: usize,
    buffer: Option<Tensor>,
}

impl Rows {
    pub(crate) fn new(axis: usize) -> Self {
        Self { axis, length: 0, buffer: None }
    }

    /// Appends, then shows all rows.
    pub(crate) fn append(&mut self, rows: &Tensor) -> Result<Tensor> {
        let length = self.length + rows.dim(self.axis)?;
        let room = match &self.buffer {
            Some(buffer) => buffer.dim(self.axis)?,
            None => 0,
        };
        if length > room {
            let mut shape = rows.dims().to_vec();
            shape[self.axis] = length.next_power_of_two().max(64);
            let larger = Tensor::zeros(shape, rows.dtype(), rows.device())?;
            if let Some(old) = &self.buffer {
                let old = old.narrow(self.axis, 0, self.length)?.contiguous()?;
                larger.slice_set(&old, self.axis, 0)?;
            }
            self.buffer = Some(larger);
        }
        let buffer = self.buffer.as_ref().expect("made above when there was no room");
        buffer.slice_set(&rows.contiguous()?, self.axis, self.length)?;
        self.length = length;
        buffer.narrow(self.axis, 0, length)
    }

    /// The last `count` rows, or as many as there are.
    pub(crate) fn last(&self, count: usize) -> Result<Option<Tensor>> {
        let count = count.min(self.length);
        match &self.buffer {
            Some(buffer) if count > 0 => {
                Ok(Some(buffer.narrow(self.axis, self.length - count, count)?))
            }
            _ => Ok(None),
        }
    }

    /// Keeps the first `length` rows.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }
}

/// A layer's keys and values, and the inputs that later key taps will read.
#[derive(Debug)]
pub(crate) struct LayerCache {
    pub(crate) keys: Rows,
    pub(crate) values: Rows,
    pub(crate) inputs: Rows,
}

impl LayerCache {
    pub(crate) fn new() -> Self {
        Self { keys: Rows::new(2), values: Rows::new(2), inputs: Rows::new(1) }
    }

    pub(crate) fn truncate(&mut self, length: usize) {
        self.keys.truncate(length);
        self.values.truncate(length);
        self.inputs.truncate(length);
    }
}
