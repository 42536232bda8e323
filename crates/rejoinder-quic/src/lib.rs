//! quic
