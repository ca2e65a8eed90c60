//! A step that something else than its error makes short: a scheduled time, a breaking point. Where events are many, most steps are such,
//! and far shorter than the method could take them. Three stages of order 3 (P. Bogacki, L. F. Shampine, *A 3(2) pair of Runge–Kutta
//! formulas*, Appl. Math. Lett. 2 (1989) 321–325) then do instead of seven of order 5, with the cubic through both ends and their
//! slopes as its polynomial.
//!
//! The estimate is that of the formula of order 2. It has to be a hundred times below the tolerance, so that what is carried on, of
//! order 3, is further below it still: its error is that of the polynomial, h⁴.

use super::error::Error;
use super::history::Side;
use super::options::Options;
use super::problem::Problem;
use super::stepper::{Known, Span, Stepper, combine, verdict, worst};
use super::tableau::STAGES;

/// What the estimate may be, in units of the tolerance.
pub(super) const BOUND: f64 = 1e-2;

/// Order 3 less order 2: of the slopes at the start, the middle, three quarters and the end.
const E: [f64; 4] = [-5.0 / 72.0, 1.0 / 12.0, 1.0 / 9.0, -1.0 / 8.0];

impl Stepper {
    /// Try the step `span` from `x` so; its error estimate in units of the tolerance. `None` if it overlaps a delay.
    ///
    /// # Errors
    /// What the right-hand side did wrong.
    pub fn brief<P: Problem + ?Sized>(
        &mut self,
        problem: &P,
        known: &Known<'_>,
        span: Span,
        x: &[f64],
        options: &Options,
    ) -> Result<Option<f64>, Error> {
        let Span { from, to } = span;
        let h = to - from;
        let stages: [(f64, Side, &[f64]); 3] = [
            (from + 0.5 * h, Side::Inside, &[0.5]),
            (from + 0.75 * h, Side::Inside, &[0.0, 0.75]),
            (to, Side::Left, &[2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0]),
        ];
        self.set_out(known, span, x);
        for (s, (t, side, weights)) in stages.into_iter().enumerate() {
            let last = s + 1 == stages.len();
            let (before, after) = self.k.split_at_mut(s + 1);
            let stage = if last { &mut self.end } else { &mut self.stage };
            let mut row = [0.0; STAGES - 1];
            row[..weights.len()].copy_from_slice(weights);
            combine(stage, x, h, &row, before);
            // The slope at the end is kept where the next step looks for it.
            let slope = if last {
                &mut after[STAGES - 2 - s]
            } else {
                &mut after[0]
            };
            let current = if self.smooth {
                known.store.last()
            } else {
                Some(&self.guess)
            };
            problem.rhs(t, stage, &known.at(t, side, current), slope);
            self.evaluations += 1;
            verdict(known, t, slope)?;
        }
        self.shortest = known.probe.shortest();
        if known.probe.overlapped() {
            return Ok(None);
        }
        self.segment.span(from, to);
        let [k0, k1, k2, .., k6] = &self.k;
        self.segment.hermite(h, (x, &self.end), (k0, k6));
        let n = x.len();
        let (k0, k1, k2, k6) = (&k0[..n], &k1[..n], &k2[..n], &k6[..n]);
        let (end, ratios) = (&self.end[..n], &mut self.stage[..n]);
        for i in 0..n {
            let error = h * (E[0] * k0[i] + E[1] * k1[i] + E[2] * k2[i] + E[3] * k6[i]);
            ratios[i] = if error == 0.0 {
                0.0
            } else {
                error.abs() / options.allowed(i, x[i], end[i])
            };
        }
        Ok(Some(worst(ratios)))
    }
}
