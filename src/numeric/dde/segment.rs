//! One step of the solution as a polynomial.

/// Coefficients of one component: a polynomial of degree five in the fraction of the step.
pub(super) const COEFFICIENTS: usize = 6;

/// The solution over one step: for each component a polynomial in `θ = (t − origin)/width`,
/// used for `start ≤ t ≤ end`.
///
/// `end` is `start + width` unless an event cut the step short. The value at `end` is the left
/// limit there: if the state jumps, the next segment starts at the same time with another value.
#[derive(Debug, Clone, Default)]
pub(super) struct Segment {
    /// First time of validity; also the origin of `θ`.
    pub start: f64,
    /// Last time of validity.
    pub end: f64,
    /// The step the polynomial was made for.
    width: f64,
    /// `1/width`.
    inverse: f64,
    /// For each component, lowest power first.
    pub coefficients: Vec<[f64; COEFFICIENTS]>,
}

impl Segment {
    /// A segment for `dimension` components with nothing in it.
    pub fn empty(dimension: usize) -> Self {
        Self {
            coefficients: vec![[0.0; COEFFICIENTS]; dimension],
            ..Self::default()
        }
    }

    /// Set the interval; the coefficients are the caller's.
    pub fn span(&mut self, start: f64, end: f64) {
        self.start = start;
        self.end = end;
        self.width = end - start;
        self.inverse = 1.0 / self.width;
    }

    /// Make this the straight line through `x` with slope `dx` from `start`.
    pub fn line(&mut self, start: f64, end: f64, x: &[f64], dx: Option<&[f64]>) {
        self.span(start, end);
        for (i, c) in self.coefficients.iter_mut().enumerate() {
            let rise = dx.map_or(0.0, |dx| self.width * dx[i]);
            *c = [x[i], rise, 0.0, 0.0, 0.0, 0.0];
        }
    }

    /// Make this the cubics through the states `x.0` and `x.1` with the slopes `dx.0` and `dx.1` over a step of length `h`.
    pub fn hermite(&mut self, h: f64, x: (&[f64], &[f64]), dx: (&[f64], &[f64])) {
        let n = self.coefficients.len();
        let (a, b, da, db) = (&x.0[..n], &x.1[..n], &dx.0[..n], &dx.1[..n]);
        for (i, c) in self.coefficients.iter_mut().enumerate() {
            let (rise, from, to) = (b[i] - a[i], h * da[i], h * db[i]);
            *c = [
                a[i],
                from,
                3.0 * rise - 2.0 * from - to,
                from + to - 2.0 * rise,
                0.0,
                0.0,
            ];
        }
    }

    /// Component `i` at `t` (NaN if there is no such component); outside the interval the polynomial
    /// is simply continued.
    #[inline]
    pub fn value(&self, i: usize, t: f64) -> f64 {
        let theta = (t - self.start) * self.inverse;
        let component = self.coefficients.get(i);
        component.map_or(f64::NAN, |c| horner(c, theta))
    }

    /// Components `first..first + out.len()` at `t`.
    pub fn fill(&self, first: usize, t: f64, out: &mut [f64]) {
        let theta = (t - self.start) * self.inverse;
        let own = self.coefficients.get(first..).unwrap_or_default();
        for (x, c) in out.iter_mut().zip(own) {
            *x = horner(c, theta);
        }
    }

    /// All components at three times at once.
    pub fn fill_three(&self, times: [f64; 3], [a, b, c]: &mut [Vec<f64>; 3]) {
        let n = self.coefficients.len();
        for out in [&mut *a, &mut *b, &mut *c] {
            out.resize(n, 0.0);
        }
        let theta = |t: f64| (t - self.start) * self.inverse;
        let thetas = [theta(times[0]), theta(times[1]), theta(times[2]), 0.0];
        let outs = a.iter_mut().zip(b).zip(c);
        for (((a, b), c), of) in outs.zip(&self.coefficients) {
            // The fourth is there to make two pairs.
            let mut values = [of[COEFFICIENTS - 1]; 4];
            for power in (0..COEFFICIENTS - 1).rev() {
                for k in 0..4 {
                    values[k] = of[power] + thetas[k] * values[k];
                }
            }
            [*a, *b, *c, _] = values;
        }
    }

    /// Tilt component `i` so that it ends `rise` higher: what a history does that stores one
    /// value per time and forgets the left limit. Only for the ablation.
    pub fn tilt(&mut self, i: usize, rise: f64) {
        let fraction = (self.end - self.start) * self.inverse;
        self.coefficients[i][1] += rise / fraction;
    }
}

#[inline]
fn horner(&[a, b, c, d, e, f]: &[f64; COEFFICIENTS], theta: f64) -> f64 {
    a + theta * (b + theta * (c + theta * (d + theta * (e + theta * f))))
}
