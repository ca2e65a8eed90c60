//! Kelly's equilibrium of standard TCP: a formula, not a law.

use crate::model::{
    Algorithm, ClosedForms, Equation, Explanation, FormInfo, Formula, LossModel, Parameter, Preset,
    Price, Response, ResponseFunction, Setting, WindowLaw,
};

/// √(2(1−p)/p).
pub struct Kelly;

const PRESETS: &[Preset] = &[Preset {
    name: "paper",
    source: "kelly2001",
    note: None,
    values: &[],
}];

const EXPLANATION: Explanation = Explanation {
    summary: "The equilibrium of standard TCP when growth happens on acknowledged packets and halving on lost ones, both in the mean: \
              (1-p)/W = p W/2.",
    equations: &[Equation {
        formula: "W = sqrt(2(1-p)/p)",
        source: "kelly2001",
        meaning: "packets per round trip",
    }],
    ranges: &["any p in (0, 1) as a formula; without timeouts, so too high above about 0.01"],
    caveats: &["a mean-field equilibrium lies 15.5 % above the mean window under periodic losses"],
};

impl Algorithm for Kelly {
    fn name(&self) -> &'static str {
        "kelly"
    }
    fn title(&self) -> &'static str {
        "Kelly's equilibrium of standard TCP"
    }
    fn price(&self) -> Price {
        Price::Loss
    }
    fn parameters(&self) -> &'static [Parameter] {
        &[]
    }
    fn presets(&self) -> &'static [Preset] {
        PRESETS
    }
    fn references(&self) -> &'static [&'static str] {
        &["kelly2001", "misra2000"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn law(&self, _setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        None
    }
}

impl ClosedForms for Kelly {
    fn forms(&self) -> &'static [FormInfo] {
        &[FormInfo {
            name: "equilibrium",
            loss_model: LossModel::MeanField,
            meaning: "growth on acknowledged, halving on lost packets",
        }]
    }

    fn closed(&self, _setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        vec![
            Formula::new("equilibrium", LossModel::MeanField, |p, _| {
                Ok(Response::closed(
                    (2.0 * (1.0 - p) / p).sqrt(),
                    0.5 / (1.0 - p),
                    0.0,
                    "equilibrium",
                    "kelly2001",
                ))
            })
            .with_inverse(|w, _| Ok(2.0 / (w * w + 2.0)))
            .boxed(),
        ]
    }
}
