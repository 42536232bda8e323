//! The examples are in `examples/`: `cargo run -p rejoinder-examples --example NAME`.
