//! Worlds of fake replicas that are driven by a seed: what a [`Sync`](crate::Sync) is tested in.

mod disk;
mod hostile;
mod mesh;
mod net;
mod node;
mod oracle;
mod pair;
mod random;
