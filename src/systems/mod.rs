//! Control loops as their papers give them: equilibrium, linearisation, delay system, and the bound that the paper states
//! beside the exact one. One file for each loop, and the list; nothing else in the crate knows a loop by name.

mod common;
mod fast;
mod pi;
mod pi2;
mod pie;
mod red;
mod scalar;
mod small_buffer;
mod vegas;
mod xcp;

pub mod flow_level;

pub use common::{
    BothBounds, Bound, ControlLoop, Curve, Equilibrium, Form, Group, OpenLoopFacts, Plane,
    Quantity, System,
};

use crate::error::{Error, Result};
use crate::model::{Setting, Spec, spec};

/// Every loop, in the order in which `laws` prints them.
pub const SYSTEMS: &[&dyn System] = &[
    &xcp::Xcp,
    &fast::Fast,
    &vegas::Vegas,
    &red::Red,
    &pi::Pi,
    &pie::Pie,
    &pi2::Pi2,
    &small_buffer::SmallBuffer,
    &scalar::Scalar,
];

/// A loop with values for its parameters and one of its forms.
#[derive(Clone)]
pub struct Chosen {
    /// The loop.
    pub system: &'static dyn System,
    /// Its values.
    pub setting: Setting,
    /// The form: a linearisation or a link model.
    pub form: &'static Form,
    /// Flows that differ; empty for the equal flows of the parameters.
    pub groups: Vec<Group>,
}

impl std::fmt::Debug for Chosen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Chosen({}, {})", self.spec(), self.form.name)
    }
}

/// The loop called `name`.
///
/// # Errors
/// [`Error::Unknown`] with the whole list.
pub fn find(name: &str) -> Result<&'static dyn System> {
    SYSTEMS
        .iter()
        .find(|system| system.name() == name)
        .copied()
        .ok_or_else(|| Error::unknown("system", name, SYSTEMS.iter().map(|s| s.name())))
}

impl Chosen {
    /// Reads `SYSTEM[@PRESET][:key=value,...]`, with a form by name (the first if `None`) and flows that differ.
    ///
    /// # Errors
    /// An unknown name, preset, key or form with the nearest valid one, a value outside its range, values that do not go
    /// together, flows for a loop of equal ones.
    ///
    /// ```
    /// use cwnd::systems::Chosen;
    /// let chosen = Chosen::parse("xcp:alpha=0.4,beta=0.226", None, &[])?;
    /// assert_eq!(chosen.setting.get("beta"), 0.226);
    /// # Ok::<(), cwnd::error::Error>(())
    /// ```
    pub fn parse(text: &str, form: Option<&str>, groups: &[Group]) -> Result<Self> {
        let text = Spec::split(text);
        let system = find(text.name())?;
        let setting = text.setting(system.parameters(), system.presets())?;
        let forms = system.forms();
        let found = match form {
            None => forms.first(),
            Some(name) => forms.iter().find(|form| form.name == name),
        };
        let form = found.ok_or_else(|| {
            Error::unknown("form", form.unwrap_or(""), forms.iter().map(|f| f.name))
        })?;
        if !groups.is_empty() && !system.takes_groups() {
            let able: Vec<&str> = SYSTEMS
                .iter()
                .filter(|s| s.takes_groups())
                .map(|s| s.name())
                .collect();
            return Err(Error::Arguments(format!(
                "the flows of `{}` are equal: flows that differ are for {}",
                system.name(),
                able.join(", ")
            )));
        }
        let out = Self {
            system,
            setting,
            form,
            groups: groups.to_vec(),
        };
        out.build()?;
        Ok(out)
    }

    /// The loop itself.
    ///
    /// # Errors
    /// One sentence about values that do not go together.
    pub fn build(&self) -> Result<Box<dyn ControlLoop>> {
        self.system
            .build(&self.setting, self.form.name, &self.groups)
    }

    /// The same loop with one parameter moved.
    ///
    /// # Errors
    /// An unknown key, a value outside its range, values that do not go together.
    pub fn with(&self, key: &str, value: f64) -> Result<Self> {
        let mut out = self.clone();
        out.setting.set_value(key, value)?;
        Ok(out)
    }

    /// The shortest text that reads back as this loop, without its form.
    #[must_use]
    pub fn spec(&self) -> String {
        spec::write(self.system.name(), self.system.presets(), &self.setting)
    }
}
