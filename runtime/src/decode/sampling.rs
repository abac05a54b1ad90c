//! Chooses a token by its logits: the most likely one, or a seeded draw.

use crate::vocabulary::TokenId;

/// How tokens are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Logits are divided by this before the draw; at 0 the most likely token is taken.
    pub temperature: f32,
    /// Only this many of the most likely tokens are drawn from.
    pub top_k: Option<usize>,
    /// Only the most likely tokens that together reach this probability are drawn from.
    pub top_p: Option<f32>,
    /// Draws follow from this alone.
    pub seed: u64,
}

impl Sampling {
    /// Always the most likely token; the lowest id where several are.
    #[must_use]
    pub fn greedy() -> Self {
        Self { temperature: 0.0, top_k: None, top_p: None, seed: 0 }
    }
}

/// An option of [`Sampling`] that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SamplingError {
    /// The temperature is negative or not finite.
    #[error("the temperature is {0}, expected a number from 0 up")]
    Temperature(f32),
    /// No token would be left to draw from.
    #[error("top_k is 0, expected at least 1")]
    TopK,
    /// The probability is no probability, or 0.
    #[error("top_p is {0}, expected a number above 0, at most 1")]
    TopP(f32),
}

/// Draws token after token.
#[derive(Clone, Debug)]
pub struct Sampler {
    sampling: Sampling,
    state: u64,
}

impl Sampler {
    /// A sampler at the start of its draws.
    ///
    /// # Errors
    /// [`SamplingError`] names the option that makes no sense.
    pub fn new(sampling: Sampling) -> Result<Self, SamplingError> {
        if !(sampling.temperature >= 0.0 && sampling.temperature.is_finite()) {
            return Err(SamplingError::Temperature(sampling.temperature));
        }
        if sampling.top_k == Some(0) {
            return Err(SamplingError::TopK);
        }
        if let Some(top_p) = sampling.top_p.filter(|&top_p| !(top_p > 0.0 && top_p <= 1.0)) {
            return Err(SamplingError::TopP(top_p));
        }
        Ok(Self { sampling, state: sampling.seed })
    }

    /// The next token, or none where no logit is above negative infinity.
    ///
    /// # Complexity
    /// O(logits), and O(n log n) of those above negative infinity for a draw.
    pub fn pick(&mut self, logits: &[f32]) -> Option<TokenId> {
        let open = (0u32..)
            .zip(logits.iter().copied())
            .filter(|(_, logit)| !logit.is_nan() && *logit > f32::NEG_INFINITY);
        if self.sampling.temperature == 0.0 {
            // `>` keeps the first of equals.
            let best = open.reduce(|best, next| if next.1 > best.1 { next } else { best });
            return best.map(|(id, _)| TokenId(id));
        }
        let mut open: Vec<(u32, f32)> = open.collect();
        open.sort_by(|(left, a), (right, b)| b.total_cmp(a).then(left.cmp(right)));
        open.truncate(self.sampling.top_k.unwrap_or(usize::MAX));
        let best = open.first()?.1;
        let temperature = f64::from(self.sampling.temperature);
        let weight = |logit: f32| {
            // Infinite logits would make NaN of their difference.
            if logit == best { 1.0 } else { (f64::from(logit - best) / temperature).exp() }
        };
        let weights: Vec<f64> = open.iter().map(|(_, logit)| weight(*logit)).collect();
        let all: f64 = weights.iter().sum();
        let enough = f64::from(self.sampling.top_p.unwrap_or(1.0)) * all;
        let mut mass = 0.0;
        let kept = weights.iter().take_while(|&&weight| {
            let wanted = mass < enough;
            mass += if wanted { weight } else { 0.0 };
            wanted
        });
        let kept = kept.count().max(1);
        let mut draw = self.unit() * mass;
        for ((id, _), weight) in open.iter().zip(&weights).take(kept - 1) {
            if draw < *weight {
                return Some(TokenId(*id));
            }
            draw -= weight;
        }
        Some(TokenId(open[kept - 1].0))
    }

    /// A number from 0 to 1, 1 excluded (splitmix64).
    fn unit(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(sampling: Sampling, logits: &[f32]) -> Vec<u32> {
        let mut sampler = Sampler::new(sampling).unwrap();
        (0..400).map(|_| sampler.pick(logits).unwrap().0).collect()
    }

    #[test]
    fn greedy_takes_the_first_of_the_most_likely() {
        let mut greedy = Sampler::new(Sampling::greedy()).unwrap();
        let low = f32::NEG_INFINITY;
        for (logits, expected) in [
            (vec![0.0, 2.0, 2.0], Some(1)),
            (vec![low, low, -5.0], Some(2)),
            (vec![f32::NAN, 1.0], Some(1)),
            (vec![low, low], None),
            (vec![], None),
            (vec![f32::NAN], None),
            (vec![f32::INFINITY, 0.0], Some(0)),
        ] {
            assert_eq!(greedy.pick(&logits).map(|token| token.0), expected, "{logits:?}");
        }
    }

    #[test]
    fn draws_follow_from_the_seed_and_the_odds() {
        let logits = [0.0, f32::NEG_INFINITY, 1.0, 2.0];
        let plain = Sampling { temperature: 1.0, top_k: None, top_p: None, seed: 7 };
        assert_eq!(draws(plain, &logits), draws(plain, &logits));
        assert_ne!(draws(plain, &logits), draws(Sampling { seed: 8, ..plain }, &logits));
        let count = |draws: &[u32], id| draws.iter().filter(|&&draw| draw == id).count();
        let all = draws(plain, &logits);
        assert_eq!(count(&all, 1), 0);
        // Odds 0.090, 0.245, 0.665 of 400 draws, each with some room.
        assert!((20..60).contains(&count(&all, 0)));
        assert!((70..130).contains(&count(&all, 2)));
        assert!((230..300).contains(&count(&all, 3)));
        let top_two = draws(Sampling { top_k: Some(2), ..plain }, &logits);
        assert_eq!((count(&top_two, 0), count(&top_two, 2) > 0), (0, true));
        let top_half = draws(Sampling { top_p: Some(0.5), ..plain }, &logits);
        assert_eq!(count(&top_half, 3), 400);
        let most = draws(Sampling { top_p: Some(0.8), ..plain }, &logits);
        assert_eq!((count(&most, 0), count(&most, 2) > 0), (0, true));
        let cold = draws(Sampling { temperature: 0.01, ..plain }, &logits);
        assert_eq!(count(&cold, 3), 400);
        assert_eq!(draws(plain, &[f32::INFINITY, 0.0]), [0; 400]);
    }

    #[test]
    fn senseless_options_are_refused() {
        let plain = Sampling { temperature: 1.0, top_k: None, top_p: None, seed: 7 };
        for sampling in [
            Sampling { temperature: -1.0, ..plain },
            Sampling { temperature: f32::NAN, ..plain },
            Sampling { top_k: Some(0), ..plain },
            Sampling { top_p: Some(0.0), ..plain },
            Sampling { top_p: Some(1.5), ..plain },
            Sampling { top_p: Some(f32::NAN), ..plain },
        ] {
            assert!(Sampler::new(sampling).is_err(), "{sampling:?}");
        }
    }
}
