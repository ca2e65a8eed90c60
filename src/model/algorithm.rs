//! An algorithm as data, its law, and (apart from it) its closed forms.

use super::{
    ClosedSawtooth, LossModel, Parameter, Preset, Price, ResponseFunction, Setting, WindowLaw,
};
use crate::error::Result;
use crate::units::Seconds;

/// One equation of an algorithm, for `explain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Equation {
    /// The formula, one line of plain text.
    pub formula: &'static str,
    /// Where it stands: reference key and place.
    pub source: &'static str,
    /// What it says and where it holds.
    pub meaning: &'static str,
}

/// What `explain` prints beside the parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explanation {
    /// The algorithm in two or three sentences.
    pub summary: &'static str,
    /// Rules and formulas.
    pub equations: &'static [Equation],
    /// Where the formulas hold.
    pub ranges: &'static [&'static str],
    /// Known errors and traps of the published formulas.
    pub caveats: &'static [&'static str],
}

/// A closed form as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormInfo {
    /// Its name.
    pub name: &'static str,
    /// The loss model it is derived under.
    pub loss_model: LossModel,
    /// What it is, in one phrase.
    pub meaning: &'static str,
}

/// An algorithm without its closed forms.
pub trait Algorithm: Sync {
    /// The name on the command line.
    fn name(&self) -> &'static str;
    /// Other names that people write, in lower case; read in any case, never printed in an answer.
    fn other_names(&self) -> &'static [&'static str] {
        &[]
    }
    /// The name in prose.
    fn title(&self) -> &'static str;
    /// What it answers to.
    fn price(&self) -> Price;
    /// Its parameters.
    fn parameters(&self) -> &'static [Parameter];
    /// Its presets, the default first.
    fn presets(&self) -> &'static [Preset];
    /// Keys of the works it rests on.
    fn references(&self) -> &'static [&'static str];
    /// Equations, ranges and traps.
    fn explanation(&self) -> &'static Explanation;
    /// Checks what no single parameter's range can say.
    ///
    /// # Errors
    /// One sentence about the values that do not go together.
    fn check(&self, _setting: &Setting) -> Result<()> {
        Ok(())
    }
    /// Its window law, or `None` for a formula that is not a law.
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>>;
}

/// The closed forms of an algorithm. The numerical roads do not name this trait.
pub trait ClosedForms: Sync {
    /// Every form it may have, as data.
    fn forms(&self) -> &'static [FormInfo];
    /// The forms that exist under these values, the default first.
    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>>;
    /// The formula that answers for any standard sender where retransmission timeouts rule, packets sent: first timeout
    /// `rto` (four round trips if `None`), `ack_every` packets for each acknowledgement. `None` if this algorithm is none.
    fn timeouts(
        &self,
        _rto: Option<Seconds>,
        _ack_every: f64,
    ) -> Option<Box<dyn ResponseFunction>> {
        None
    }
    /// The sawtooth over a drop-tail buffer, if the law under these values has it in closed form.
    fn sawtooth(&self, _setting: &Setting) -> Option<Box<dyn ClosedSawtooth>> {
        None
    }
}

/// What stands in the list of algorithms.
pub trait Entry: Algorithm + ClosedForms {}

impl<T: Algorithm + ClosedForms> Entry for T {}
