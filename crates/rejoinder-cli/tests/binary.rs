//! The binary exists and prints something. This test also makes `cargo test --workspace` build the
//! binary, which `tests/suite` runs.

use std::process::Command;

#[test]
fn help_is_for_newcomers() {
    let help =
        Command::new(env!("CARGO_BIN_EXE_rejoinder")).arg("--help").output().expect("it runs");
    let text = String::from_utf8_lossy(&help.stdout);
    assert!(help.status.success());
    for command in ["demo", "ask", "join", "show", "withdraw", "id"] {
        assert!(text.contains(command), "{text}");
    }
}
