//! Only tests live here: see `suite/`.
