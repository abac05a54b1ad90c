//! The row-wise operations that candle has only in slow, or in undifferentiable, form.
//!
//! Each knows its own backward pass, so that training runs the very forward that decodes.

use candle_core::{CpuStorage, CustomOp1, CustomOp2, Layout, Result, Shape, Tensor, bail};

/// The floats of a contiguous operand.
pub(crate) fn floats<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    let Some((start, end)) = layout.contiguous_offsets() else {
        bail!("a row operation needs contiguous operands")
    };
    Ok(&storage.as_slice::<f32>()?[start..end])
}

/// The length of the last dimension, at least 1 so that rows can be cut.
fn width(layout: &Layout) -> usize {
    layout.dims().last().copied().unwrap_or(1).max(1)
}

/// A gradient as (operand, gradient of the result) → gradient of the operand, row by row.
struct RowGradient<F>(F);

impl<F: Fn(usize, &[f32], &[f32], &mut [f32])> CustomOp2 for RowGradient<F> {
    fn name(&self) -> &'static str {
        "row-gradient"
    }

    fn cpu_fwd(
        &self,
        left: &CpuStorage,
        left_layout: &Layout,
        right: &CpuStorage,
        right_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (left, right) = (floats(left, left_layout)?, floats(right, right_layout)?);
        let width = width(left_layout);
        let mut out = vec![0f32; left.len()];
        let rows = left.chunks_exact(width).zip(right.chunks_exact(width));
        for (row, ((left, right), out)) in rows.zip(out.chunks_exact_mut(width)).enumerate() {
            (self.0)(row, left, right, out);
        }
        Ok((CpuStorage::F32(out), left_layout.shape().clone()))
    }
}

/// `x / sqrt(mean(x²) + epsilon)` for each row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Normalise {
    pub(crate) epsilon: f32,
}

impl Normalise {
    pub(crate) fn apply(self, rows: &Tensor) -> Result<Tensor> {
        rows.contiguous()?.apply_op1(self)
    }

    fn scale(self, row: &[f32]) -> f32 {
        let squares: f32 = row.iter().map(|x| x * x).sum();
        1.0 / (squares / row.len() as f32 + self.epsilon).sqrt()
    }
}

impl CustomOp1 for Normalise {
    fn name(&self) -> &'static str {
        "normalise"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let input = floats(storage, layout)?;
        let width = width(layout);
        let mut out = vec![0f32; input.len()];
        for (row, out) in input.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
            let scale = self.scale(row);
            row.iter().zip(out).for_each(|(x, y)| *y = x * scale);
        }
        Ok((CpuStorage::F32(out), layout.shape().clone()))
    }

    fn bwd(&self, rows: &Tensor, _: &Tensor, gradient: &Tensor) -> Result<Option<Tensor>> {
        let this = *self;
        let step = move |_: usize, row: &[f32], gradient: &[f32], out: &mut [f32]| {
            let scale = this.scale(row);
            let dot: f32 = row.iter().zip(gradient).map(|(x, g)| x * g).sum();
            let pull = dot * scale * scale / row.len() as f32;
            for ((x, g), out) in row.iter().zip(gradient).zip(out) {
                *out = scale * (g - x * pull);
            }
        };
        let gradient = gradient.contiguous()?;
        Ok(Some(rows.contiguous()?.apply_op2_no_bwd(&gradient, &RowGradient(step))?))
    }
}

/// Rotary positions: each row is a position's head, turned by that position's angles.
///
/// The halves of a row are the real and the imaginary parts, as Hugging Face lays them out.
#[derive(Clone, Debug)]
pub(crate) struct Rotate {
    /// Cosines and sines, `width / 2` of them for each position, positions in order.
    turns: Vec<(f32, f32)>,
    half: usize,
}

impl Rotate {
    /// The turns of `count` positions from `first` on.
    pub(crate) fn new(first: usize, count: usize, width: usize, theta: f64) -> Self {
        let half = (width / 2).max(1);
        let turns = (first..first + count)
            .flat_map(|position| (0..half).map(move |i| (position, i)))
            .map(|(position, i)| {
                let frequency = theta.powf(-2.0 * i as f64 / width as f64);
                let angle = position as f64 * frequency;
                (angle.cos() as f32, angle.sin() as f32)
            })
            .collect();
        Self { turns, half }
    }

    /// Turns a tensor whose last two dimensions are positions and the width of a head.
    pub(crate) fn apply(&self, heads: &Tensor) -> Result<Tensor> {
        heads.contiguous()?.apply_op1(self.clone())
    }

    fn back(&self) -> Self {
        let turns = self.turns.iter().map(|(cos, sin)| (*cos, -sin)).collect();
        Self { turns, half: self.half }
    }
}

impl CustomOp1 for Rotate {
    fn name(&self) -> &'static str {
        "rotate"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let input = floats(storage, layout)?;
        let mut out = vec![0f32; input.len()];
        let turns = self.turns.chunks_exact(self.half).cycle();
        let rows = input.chunks_exact(2 * self.half).zip(out.chunks_exact_mut(2 * self.half));
        for ((row, out), turns) in rows.zip(turns) {
            let (real, imaginary) = row.split_at(self.half);
            let (out_real, out_imaginary) = out.split_at_mut(self.half);
            for (i, (cos, sin)) in turns.iter().enumerate() {
                out_real[i] = real[i] * cos - imaginary[i] * sin;
                out_imaginary[i] = real[i] * sin + imaginary[i] * cos;
            }
        }
        Ok((CpuStorage::F32(out), layout.shape().clone()))
    }

    fn bwd(&self, _: &Tensor, _: &Tensor, gradient: &Tensor) -> Result<Option<Tensor>> {
        Ok(Some(gradient.contiguous()?.apply_op1_no_bwd(&self.back())?))
    }
}

/// `silu(gate) * up`, element by element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gate;

impl Gate {
    pub(crate) fn apply(self, gate: &Tensor, up: &Tensor) -> Result<Tensor> {
        gate.contiguous()?.apply_op2(&up.contiguous()?, self)
    }
}

impl CustomOp2 for Gate {
    fn name(&self) -> &'static str {
        "gate"
    }

    fn cpu_fwd(
        &self,
        gate: &CpuStorage,
        gate_layout: &Layout,
        up: &CpuStorage,
        up_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (gate, up) = (floats(gate, gate_layout)?, floats(up, up_layout)?);
        let out = gate.iter().zip(up).map(|(g, u)| g * u / (1.0 + (-g).exp())).collect();
        Ok((CpuStorage::F32(out), gate_layout.shape().clone()))
    }

    fn bwd(
        &self,
        gate: &Tensor,
        up: &Tensor,
        _: &Tensor,
        gradient: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let for_up = |_: usize, gate: &[f32], gradient: &[f32], out: &mut [f32]| {
            for ((g, d), out) in gate.iter().zip(gradient).zip(out) {
                *out = d * g / (1.0 + (-g).exp());
            }
        };
        let slope = |_: usize, gate: &[f32], scaled: &[f32], out: &mut [f32]| {
            for ((g, d), out) in gate.iter().zip(scaled).zip(out) {
                let sigmoid = 1.0 / (1.0 + (-g).exp());
                *out = d * sigmoid * (1.0 + g * (1.0 - sigmoid));
            }
        };
        let (gate, up) = (gate.detach().contiguous()?, up.detach());
        let gradient = gradient.contiguous()?;
        let scaled = (&gradient * up)?;
        Ok((
            Some(gate.apply_op2_no_bwd(&scaled, &RowGradient(slope))?),
            Some(gate.apply_op2_no_bwd(&gradient, &RowGradient(for_up))?),
        ))
    }
}

/// Each row beside the `width - 1` rows before it: itself first, zeros where there is none.
///
/// Turns `[batch, known + length, size]` into `[batch, length, width * size]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Windows {
    pub(crate) width: usize,
    /// How many rows at the start are only looked back at.
    pub(crate) known: usize,
}

impl Windows {
    pub(crate) fn apply(self, rows: &Tensor) -> Result<Tensor> {
        rows.contiguous()?.apply_op1(self)
    }

    /// Calls `visit` with the start of each block of the windows and of the row it shows.
    fn visit(self, dims: (usize, usize, usize), mut visit: impl FnMut(usize, usize)) {
        let (batch, rows, size) = dims;
        let length = rows - self.known;
        for (item, at) in (0..batch).flat_map(|item| (0..length).map(move |at| (item, at))) {
            let window = (item * length + at) * self.width * size;
            for back in 0..self.width.min(self.known + at + 1) {
                let row = item * rows + self.known + at - back;
                visit(window + back * size, row * size);
            }
        }
    }
}

impl CustomOp1 for Windows {
    fn name(&self) -> &'static str {
        "windows"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let input = floats(storage, layout)?;
        let (batch, rows, size) = layout.shape().dims3()?;
        let shape = Shape::from((batch, rows - self.known, self.width * size));
        let mut out = vec![0f32; shape.elem_count()];
        self.visit((batch, rows, size), |window, row| {
            out[window..window + size].copy_from_slice(&input[row..row + size]);
        });
        Ok((CpuStorage::F32(out), shape))
    }

    fn bwd(&self, rows: &Tensor, _: &Tensor, gradient: &Tensor) -> Result<Option<Tensor>> {
        let (dims, size) = (rows.dims3()?, rows.dim(2)?);
        let gradient = gradient.flatten_all()?.to_vec1::<f32>()?;
        let mut out = vec![0f32; rows.elem_count()];
        self.visit(dims, |window, row| {
            let gradient = &gradient[window..window + size];
            out[row..row + size].iter_mut().zip(gradient).for_each(|(out, d)| *out += d);
        });
        Ok(Some(Tensor::from_vec(out, rows.shape(), rows.device())?))
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::super::tests::gradient::check_gradient;
    use super::*;

    #[test]
    fn backward_passes_follow_the_forward_ones() {
        check_gradient(&[3, 4], |x| Normalise { epsilon: 1e-5 }.apply(x));
        check_gradient(&[2, 3, 4], |x| Rotate::new(5, 3, 4, 100.0).apply(x));
        check_gradient(&[3, 4], |x| Gate.apply(x, &(x * 0.5)?));
        check_gradient(&[2, 5, 3], |x| Windows { width: 3, known: 1 }.apply(x));
    }

    #[test]
    fn a_window_shows_the_row_and_those_before_it() {
        let rows = Tensor::new(&[[[1f32], [2.0], [3.0]]], &Device::Cpu).unwrap();
        let windows = |known| {
            let windows = Windows { width: 3, known }.apply(&rows).unwrap();
            windows.squeeze(0).unwrap().to_vec2::<f32>().unwrap()
        };
        assert_eq!(windows(0), [[1.0, 0.0, 0.0], [2.0, 1.0, 0.0], [3.0, 2.0, 1.0]]);
        assert_eq!(windows(2), [[3.0, 2.0, 1.0]]);
    }
}
