//! The coefficients of Dormand–Prince 5(4) and of its continuous extensions.
//!
//! ```text
//!    0  |
//!  1/5  |  1/5
//!  3/10 |  3/40         9/40
//!  4/5  | 44/45       −56/15       32/9
//!  8/9  | 19372/6561  −25360/2187  64448/6561  −212/729
//!   1   | 9017/3168   −355/33      46732/5247    49/176   −5103/18656
//!   1   | 35/384          0        500/1113     125/192   −2187/6784   11/84
//! ```
//!
//! The last row is also the fifth-order solution, so stage 7 is the first stage of the next step.
//!
//! Sources: J. R. Dormand, P. J. Prince, *A family of embedded Runge–Kutta formulae*, J. Comput.
//! Appl. Math. 6 (1980) 19–26. The fourth-order continuous extension: L. F. Shampine, *Some
//! practical Runge–Kutta formulas*, Math. Comp. 46 (1986) 135–150, in the form of E. Hairer,
//! S. P. Nørsett, G. Wanner, *Solving Ordinary Differential Equations I* (1993), II.6.

/// Stages of the method; the seventh is the first of the next step.
pub(super) const STAGES: usize = 7;

/// Order of the solution that is carried on.
pub(super) const ORDER: u8 = 5;

/// Where each stage sits inside the step, as a fraction of it.
pub(super) const C: [f64; STAGES] = [0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];

/// Weights of the earlier stages in each stage; the last row is the fifth-order solution.
pub(super) const A: [[f64; STAGES - 1]; STAGES] = [
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [
        19372.0 / 6561.0,
        -25360.0 / 2187.0,
        64448.0 / 6561.0,
        -212.0 / 729.0,
        0.0,
        0.0,
    ],
    [
        9017.0 / 3168.0,
        -355.0 / 33.0,
        46732.0 / 5247.0,
        49.0 / 176.0,
        -5103.0 / 18656.0,
        0.0,
    ],
    [
        35.0 / 384.0,
        0.0,
        500.0 / 1113.0,
        125.0 / 192.0,
        -2187.0 / 6784.0,
        11.0 / 84.0,
    ],
];

/// Fifth-order weights minus fourth-order weights: `h · Σ E[i] k[i]` estimates the local error.
pub(super) const E: [f64; STAGES] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339_200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// Weights of the top coefficient of the fourth-order continuous extension.
pub(super) const D: [f64; STAGES] = [
    -12_715_105_075.0 / 11_282_082_432.0,
    0.0,
    87_487_479_700.0 / 32_700_410_799.0,
    -10_690_763_975.0 / 1_880_347_072.0,
    701_980_252_875.0 / 199_316_789_632.0,
    -1_453_857_185.0 / 822_651_844.0,
    69_997_945.0 / 29_380_423.0,
];
