//! Checks a backward pass against differences of the forward one.

use candle_core::{Device, Result, Tensor, Var};

/// Compares an operation's backward pass with differences of the forward one.
pub(crate) fn check_gradient(shape: &[usize], op: impl Fn(&Tensor) -> Result<Tensor>) {
    let count: usize = shape.iter().product();
    let values: Vec<f32> = (0..count).map(|i| ((i * 7 + 3) % 11) as f32 / 5.0 - 1.0).collect();
    let loss = |values: &Tensor| {
        let out = op(values).unwrap();
        let weights = (0..out.elem_count()).map(|i| ((i * 5 + 1) % 7) as f32 / 3.0 - 1.0);
        let weights = Tensor::from_iter(weights, &Device::Cpu).unwrap();
        (out.flatten_all().unwrap() * weights).unwrap().sum_all().unwrap()
    };
    let var = Var::from_vec(values.clone(), shape, &Device::Cpu).unwrap();
    let gradients = loss(var.as_tensor()).backward().unwrap();
    let found = gradients.get(&var).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap();
    for i in 0..count {
        let at = |delta: f32| {
            let mut moved = values.clone();
            moved[i] += delta;
            let moved = Tensor::from_vec(moved, shape, &Device::Cpu).unwrap();
            loss(&moved).to_scalar::<f32>().unwrap()
        };
        let expected = (at(1e-2) - at(-1e-2)) / 2e-2;
        assert!((found[i] - expected).abs() < 1e-2, "{i}: {} is not {expected}", found[i]);
    }
}
