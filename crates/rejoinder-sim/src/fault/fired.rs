//! The counts of everything that happens in a world.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Deed, Fault, MachineFault, Mishap, Partition};

/// A kind of happening that is counted. If one never occurs in a survey of many worlds, that is an
/// error of the simulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Happening {
    /// A fault, which the world made happen.
    Fault(Fault),
    /// A mishap, which was only seen.
    Mishap(Mishap),
    /// A deed, which somebody did.
    Deed(Deed),
}

impl Happening {
    /// Returns all kinds.
    pub fn all() -> impl Iterator<Item = Self> {
        let mishaps = Mishap::ALL.iter().copied().map(Self::Mishap);
        let deeds = Deed::ALL.iter().copied().map(Self::Deed);
        Fault::all().map(Self::Fault).chain(mishaps).chain(deeds)
    }
}

impl fmt::Display for Happening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => fault.fmt(f),
            Self::Mishap(mishap) => mishap.fmt(f),
            Self::Deed(deed) => deed.fmt(f),
        }
    }
}

impl From<Fault> for Happening {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Partition> for Happening {
    fn from(partition: Partition) -> Self {
        Fault::Partition(partition).into()
    }
}

impl From<MachineFault> for Happening {
    fn from(fault: MachineFault) -> Self {
        Fault::Machine(fault).into()
    }
}

impl From<Mishap> for Happening {
    fn from(mishap: Mishap) -> Self {
        Self::Mishap(mishap)
    }
}

impl From<Deed> for Happening {
    fn from(deed: Deed) -> Self {
        Self::Deed(deed)
    }
}

/// The counts of what has happened in a world.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fired(Arc<Mutex<BTreeMap<Happening, u64>>>);

impl Fired {
    pub(crate) fn count(&self, happening: impl Into<Happening>) {
        self.add(happening, 1);
    }

    pub(crate) fn add(&self, happening: impl Into<Happening>, times: u64) {
        if times > 0 {
            let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *counts.entry(happening.into()).or_default() += times;
        }
    }

    pub(crate) fn counts(&self) -> BTreeMap<Happening, u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
