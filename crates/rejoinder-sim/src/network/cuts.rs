//! Named cuts, which may overlap, each in one direction or in both.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::IpAddr,
};

/// Ways that are cut, each in one direction.
pub(crate) type Pairs = BTreeSet<(IpAddr, IpAddr)>;

/// All cuts.
#[derive(Debug, Default)]
pub(super) struct Cuts {
    named: BTreeMap<String, Pairs>,
}

impl Cuts {
    pub(super) fn cut(&mut self, name: &str, pairs: Pairs) {
        self.named.insert(name.to_owned(), pairs);
    }

    pub(super) fn mend(&mut self, name: &str) {
        self.named.remove(name);
    }

    pub(super) fn cuts(&self, way: (IpAddr, IpAddr)) -> bool {
        self.named.values().any(|pairs| pairs.contains(&way))
    }
}
