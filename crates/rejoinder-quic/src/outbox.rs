//! Frames that wait to be written. Sending never waits, and the queue is bounded.

use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{Mutex, MutexGuard, PoisonError},
};

use quinn::{SendStream, WriteError};
use tokio::sync::Notify;

use crate::{frame, limits};

/// Small frames are written together, up to this many bytes.
const BURST: usize = 64 << 10;

/// The frames of one link that wait.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    waiting: Mutex<Waiting>,
    filled: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    frames: VecDeque<Vec<u8>>,
    /// Bytes of the frames here and of those being written.
    bytes: usize,
}

fn counted(frame: &[u8]) -> usize {
    frame.len() + limits::FRAME_OVERHEAD
}

impl Outbox {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a frame unless too much waits already.
    #[must_use]
    pub(crate) fn push(&self, frame: Vec<u8>) -> bool {
        let mut waiting = self.waiting();
        let bytes = waiting.bytes + counted(&frame);
        if bytes > limits::QUEUE {
            return false;
        }
        waiting.bytes = bytes;
        waiting.frames.push_back(frame);
        drop(waiting);
        self.filled.notify_one();
        true
    }

    /// Bytes that wait.
    pub(crate) fn bytes(&self) -> usize {
        self.waiting().bytes
    }

    /// Writes frames as they come, until the stream can't be written.
    pub(crate) async fn write_to(&self, stream: &mut SendStream) -> Result<Infallible, WriteError> {
        let mut burst = Vec::new();
        loop {
            let taken = self.take(&mut burst);
            if taken == 0 {
                self.filled.notified().await;
                continue;
            }
            stream.write_all(&burst).await?;
            self.waiting().bytes -= taken;
        }
    }

    /// Fills `burst` with the next frames; returns the bytes that they count for.
    fn take(&self, burst: &mut Vec<u8>) -> usize {
        burst.clear();
        // One large frame must not keep its memory for the life of the link.
        burst.shrink_to(BURST);
        let mut waiting = self.waiting();
        let mut taken = 0;
        while burst.len() < BURST {
            let Some(frame) = waiting.frames.pop_front() else { break };
            frame::append(burst, &frame);
            taken += counted(&frame);
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_exactly_the_bound() {
        let outbox = Outbox::default();
        let rest = limits::QUEUE - counted(&[]);
        assert!(outbox.push(vec![0; rest - limits::FRAME_OVERHEAD]));
        assert!(!outbox.push(vec![0; 1]));
        assert!(outbox.push(Vec::new()));
        assert!(!outbox.push(Vec::new()));
        assert_eq!(outbox.bytes(), limits::QUEUE);
    }

    #[test]
    fn small_frames_are_taken_together_and_in_order() {
        let outbox = Outbox::default();
        for byte in 0..3 {
            assert!(outbox.push(vec![byte; 2]));
        }
        let mut burst = Vec::new();
        assert_eq!(outbox.take(&mut burst), 3 * (2 + limits::FRAME_OVERHEAD));
        assert_eq!(burst, [2, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 1, 2, 0, 0, 0, 2, 2]);
        assert_eq!(outbox.take(&mut burst), 0);
    }
}
