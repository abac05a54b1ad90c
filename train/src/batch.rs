//! Turns documents into batches: tokens, the positions that are learned, and their weights.

use std::ops::Range;

use candle_core::{Device, Tensor};
use tokenizers::Tokenizer;

use crate::data::Written;

/// A document as tokens; `weights` says how much each token counts as something to predict.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) tokens: Vec<u32>,
    pub(crate) kinds: Vec<Role>,
}

/// What a token is to the loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Part of the prompt.
    Prompt,
    /// Part of an answer that a grammar would force.
    Structure,
    /// Part of a name or a value.
    Free,
}

/// Encodes a document, cut after `length` tokens.
pub(crate) fn encode(
    tokenizer: &Tokenizer,
    written: &Written,
    length: usize,
) -> tokenizers::Result<Row> {
    let encoding = tokenizer.encode(&*written.text, false)?;
    let within = |ranges: &[Range<usize>], at: (usize, usize)| {
        // Both lists are short and in order; a scan is quick enough.
        ranges.iter().any(|range| at.0 < range.end && range.start < at.1)
    };
    let kinds = encoding.get_offsets().iter().take(length).map(|&at| {
        if within(&written.free, at) {
            Role::Free
        } else if within(&written.answers, at) {
            Role::Structure
        } else {
            Role::Prompt
        }
    });
    let kinds = kinds.collect();
    let tokens = encoding.get_ids().iter().take(length).copied().collect();
    Ok(Row { tokens, kinds })
}

/// What one step learns from.
#[derive(Debug)]
pub(crate) struct Batch {
    /// `[rows, length]` ids.
    pub(crate) tokens: Tensor,
    /// Positions, counted over all rows, whose next token is learned.
    pub(crate) positions: Tensor,
    /// Those next tokens.
    pub(crate) targets: Tensor,
    /// How much each counts; they sum to 1.
    pub(crate) weights: Tensor,
    /// How many tokens the rows hold, padding apart.
    pub(crate) count: usize,
}

impl Batch {
    /// Pads rows to one length; structure counts `structure` times as much as what is free.
    pub(crate) fn new(rows: &[Row], structure: f32) -> candle_core::Result<Self> {
        let length = rows.iter().map(|row| row.tokens.len()).max().unwrap_or(1);
        let mut tokens = vec![0u32; rows.len() * length];
        let (mut positions, mut targets, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let start = index * length;
            tokens[start..start + row.tokens.len()].copy_from_slice(&row.tokens);
            for (at, kind) in row.kinds.iter().enumerate().skip(1) {
                let weight = match kind {
                    Role::Prompt => continue,
                    Role::Structure => structure,
                    Role::Free => 1.0,
                };
                positions.push((start + at - 1) as u32);
                targets.push(row.tokens[at]);
                weights.push(weight);
            }
        }
        let sum: f32 = weights.iter().sum::<f32>().max(1.0);
        weights.iter_mut().for_each(|weight| *weight /= sum);
        let device = Device::Cpu;
        let learned = positions.len();
        Ok(Self {
            tokens: Tensor::from_vec(tokens, (rows.len(), length), &device)?,
            positions: Tensor::from_vec(positions, learned, &device)?,
            targets: Tensor::from_vec(targets, learned, &device)?,
            weights: Tensor::from_vec(weights, learned, &device)?,
            count: rows.iter().map(|row| row.tokens.len()).sum(),
        })
    }
}
