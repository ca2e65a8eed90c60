//! Numbers from several seeds as one.

/// Mean and extremes of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Arithmetic mean.
    pub mean: f64,
    /// Smallest.
    pub least: f64,
    /// Largest.
    pub most: f64,
    /// Standard deviation of the sample (n − 1), 0 for a single number.
    pub deviation: f64,
}

impl Spread {
    /// Of these numbers; `None` if there are none, or one of them is no number.
    ///
    /// ```
    /// let spread = cwnd::experiments::Spread::of([1.0, 2.0, 3.0]).unwrap();
    /// assert_eq!((spread.mean, spread.least, spread.most, spread.deviation), (2.0, 1.0, 3.0, 1.0));
    /// assert!(cwnd::experiments::Spread::of([]).is_none());
    /// ```
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.into_iter().collect();
        if values.is_empty() || values.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let square = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        Some(Self {
            mean,
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            most: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            deviation: (square / (count - 1.0).max(1.0)).sqrt(),
        })
    }
}
