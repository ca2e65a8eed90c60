//! The figures and tables of Xu, Harfoush and Rhee, INFOCOM 2004.

mod fairness;
mod overflow;
pub(super) mod parts;
mod responses;
mod shares;
mod synchronisation;
mod tables;
mod windows;

pub(super) use fairness::{figure_10, figure_11};
pub(super) use overflow::overflow;
pub(super) use responses::{figure_4, figure_6, figure_7, figure_8};
pub(super) use shares::{figure_9, utilisation};
pub(super) use synchronisation::figure_2;
pub(super) use tables::{buffers, tables};
pub(super) use windows::{figure_3, figure_5};
