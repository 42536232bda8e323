//! Endpoints on real loopback sockets, and on a simulated network in virtual time.

mod joins;
mod links;
mod rig;
mod simnet;
mod simulated;
mod strangers;
