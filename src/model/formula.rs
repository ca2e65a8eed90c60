//! A closed form as a value: its name, its loss model and the formula.

use super::{LossModel, Path, Response, ResponseFunction, invert};
use crate::error::Result;
use crate::units::{LossRate, Packets};

type Respond = Box<dyn Fn(f64, &Path) -> Result<Response> + Send + Sync>;
type Inverse = Box<dyn Fn(f64, &Path) -> Result<f64> + Send + Sync>;

/// A response function given by a formula in p (and the path, if it needs one).
pub struct Formula {
    form: &'static str,
    loss_model: LossModel,
    respond: Respond,
    inverse: Option<Inverse>,
}

impl Formula {
    /// A form whose inverse is found numerically.
    #[must_use]
    pub fn new(
        form: &'static str,
        loss_model: LossModel,
        respond: impl Fn(f64, &Path) -> Result<Response> + Send + Sync + 'static,
    ) -> Self {
        Self {
            form,
            loss_model,
            respond: Box::new(respond),
            inverse: None,
        }
    }

    /// The same with the inverse as a formula: the loss rate for a window.
    #[must_use]
    pub fn with_inverse(
        mut self,
        inverse: impl Fn(f64, &Path) -> Result<f64> + Send + Sync + 'static,
    ) -> Self {
        self.inverse = Some(Box::new(inverse));
        self
    }

    /// As an item of the list that an algorithm returns.
    #[must_use]
    pub fn boxed(self) -> Box<dyn ResponseFunction> {
        Box::new(self)
    }
}

impl ResponseFunction for Formula {
    fn form(&self) -> &'static str {
        self.form
    }

    fn loss_model(&self) -> LossModel {
        self.loss_model
    }

    fn respond(&self, p: LossRate, path: &Path) -> Result<Response> {
        (self.respond)(p.value(), path)
    }

    fn loss_for(&self, window: Packets, path: &Path) -> Result<LossRate> {
        match &self.inverse {
            Some(inverse) => {
                let p = inverse(window.value(), path)?;
                LossRate::new(p).map_err(|_| {
                    crate::error::Error::NoAnswer(format!(
                        "no loss rate below 1 gives a window of {} packets",
                        crate::units::significant(window.value(), 6)
                    ))
                })
            }
            None => invert(|p| self.respond(p, path).map(|r| r.window.value()), window),
        }
    }
}
