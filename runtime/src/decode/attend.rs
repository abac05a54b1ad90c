//! Attention of each query to the keys up to its own position.
//!
//! One operation with a backward pass of its own: the weights, by far the largest tensors, are
//! computed in place and again for the gradient, not kept.

use candle_core::{
    CpuStorage, CustomOp3, Device, InplaceOp1, InplaceOp2, Layout, Result, Shape, Tensor, bail,
};

use super::ops::floats;

/// Rows are queries, `length` of them for each head; the last stands at the last key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attend {
    pub(crate) length: usize,
    pub(crate) scale: f32,
}

impl Attend {
    /// Mixes values for queries: `[batch, groups, rows, width]` each, rows of keys for the latter.
    pub(crate) fn apply(self, queries: &Tensor, keys: &Tensor, values: &Tensor) -> Result<Tensor> {
        let tracked = queries.track_op() || keys.track_op() || values.track_op();
        if tracked {
            let (keys, values) = (keys.contiguous()?, values.contiguous()?);
            return queries.contiguous()?.apply_op3(&keys, &values, self);
        }
        self.weights(queries, keys)?.matmul(values)
    }

    fn weights(self, queries: &Tensor, keys: &Tensor) -> Result<Tensor> {
        let scores = queries.matmul(&keys.t()?)?;
        scores.inplace_op1(&self)?;
        Ok(scores)
    }

    /// How many keys the query in this row sees.
    fn seen(self, row: usize, keys: usize) -> usize {
        (keys + 1 + row % self.length).saturating_sub(self.length).min(keys)
    }
}

/// The floats of a contiguous operand that is overwritten.
fn floats_mut<'a>(storage: &'a mut CpuStorage, layout: &Layout) -> Result<&'a mut [f32]> {
    match (storage, layout.contiguous_offsets()) {
        (CpuStorage::F32(floats), Some((start, end))) => Ok(&mut floats[start..end]),
        _ => bail!("attention needs contiguous floats"),
    }
}

/// Scaled softmax over the keys that each query sees.
impl InplaceOp1 for Attend {
    fn name(&self) -> &'static str {
        "causal-softmax"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        let keys = layout.dims().last().copied().unwrap_or(1).max(1);
        for (row, scores) in floats_mut(storage, layout)?.chunks_exact_mut(keys).enumerate() {
            let (scores, unseen) = scores.split_at_mut(self.seen(row, keys));
            unseen.fill(0.0);
            let max = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let mut sum = 0.0;
            for score in scores.iter_mut() {
                *score = ((*score - max) * self.scale).exp();
                sum += *score;
            }
            let scale = 1.0 / sum;
            scores.iter_mut().for_each(|score| *score *= scale);
        }
        Ok(())
    }
}

/// The gradient of the weights becomes that of the scores.
impl InplaceOp2 for Attend {
    fn name(&self) -> &'static str {
        "causal-softmax-gradient"
    }

    fn cpu_fwd(
        &self,
        gradient: &mut CpuStorage,
        gradient_layout: &Layout,
        weights: &CpuStorage,
        weights_layout: &Layout,
    ) -> Result<()> {
        let weights = floats(weights, weights_layout)?;
        let keys = weights_layout.dims().last().copied().unwrap_or(1).max(1);
        let gradient = floats_mut(gradient, gradient_layout)?;
        let rows = gradient.chunks_exact_mut(keys).zip(weights.chunks_exact(keys));
        for (gradient, weights) in rows {
            let dot: f32 = gradient.iter().zip(weights).map(|(g, w)| g * w).sum();
            for (gradient, weight) in gradient.iter_mut().zip(weights) {
                *gradient = self.scale * weight * (*gradient - dot);
            }
        }
        Ok(())
    }
}

impl CustomOp3 for Attend {
    fn name(&self) -> &'static str {
        "attend"
    }

    fn cpu_fwd(
        &self,
        queries: &CpuStorage,
        queries_layout: &Layout,
        keys: &CpuStorage,
        keys_layout: &Layout,
        values: &CpuStorage,
        values_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        // Copying the operands costs little beside the products.
        let tensor = |storage, layout: &Layout| {
            Tensor::from_slice(floats(storage, layout)?, layout.shape(), &Device::Cpu)
        };
        let weights =
            self.weights(&tensor(queries, queries_layout)?, &tensor(keys, keys_layout)?)?;
        let mixed = weights.matmul(&tensor(values, values_layout)?)?;
        let shape = mixed.shape().clone();
        Ok((CpuStorage::F32(mixed.flatten_all()?.to_vec1()?), shape))
    }

    fn bwd(
        &self,
        queries: &Tensor,
        keys: &Tensor,
        values: &Tensor,
        _: &Tensor,
        gradient: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let (queries, keys, values) = (queries.detach(), keys.detach(), values.detach());
        let gradient = gradient.detach().contiguous()?;
        let weights = self.weights(&queries, &keys)?;
        let for_values = weights.t()?.matmul(&gradient)?;
        let scores = gradient.matmul(&values.t()?)?;
        scores.inplace_op2(&weights, self)?;
        let for_queries = scores.matmul(&keys)?;
        let for_keys = scores.t()?.matmul(&queries)?;
        Ok((Some(for_queries), Some(for_keys), Some(for_values)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::gradient::check_gradient;
    use super::*;

    #[test]
    fn the_backward_pass_follows_the_forward_one() {
        let attend = Attend { length: 3, scale: 0.7 };
        let other = Tensor::arange(0f32, 18.0, &Device::Cpu).unwrap();
        let other = (other / 9.0).unwrap().reshape((1, 1, 6, 3)).unwrap();
        let fixed = other.narrow(2, 0, 3).unwrap();
        check_gradient(&[1, 1, 6, 3], |x| attend.apply(x, &fixed, &fixed));
        check_gradient(&[1, 1, 3, 3], |x| attend.apply(&other, x, &fixed));
        check_gradient(&[1, 1, 3, 3], |x| attend.apply(&other, &fixed, x));
        check_gradient(&[1, 1, 3, 3], |x| attend.apply(x, x, x));
    }

    #[test]
    fn a_query_sees_its_own_position_and_no_later_one() {
        let zeros = Tensor::zeros((1, 1, 2, 1), candle_core::DType::F32, &Device::Cpu).unwrap();
        let keys = Tensor::zeros((1, 1, 3, 1), candle_core::DType::F32, &Device::Cpu).unwrap();
        let rows = Attend { length: 2, scale: 1.0 }.weights(&zeros, &keys).unwrap();
        let rows = rows.reshape((2, 3)).unwrap().to_vec2::<f32>().unwrap();
        assert_eq!(rows, [[0.5, 0.5, 0.0], [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]]);
    }
}
