//! An introduction: "here is who I am", said by one end of a link when the other has not said a
//! word. At the other end the link may not be up; then the code that brings links up reads it.

use crate::message::{INTRODUCTION, VERSION};

/// A frame with an introduction: not looked at here.
pub fn introduction_frame(introduction: &[u8]) -> Vec<u8> {
    [&[VERSION, INTRODUCTION], introduction].concat()
}

/// Returns the introduction in a frame, if it is one. On a link that is up here
/// [`Sync::receive`](crate::Sync::receive) ignores it.
pub fn introduction_in(frame: &[u8]) -> Option<&[u8]> {
    frame.strip_prefix(&[VERSION, INTRODUCTION])
}

#[cfg(test)]
mod tests {
    use rejoinder_identity::Timestamp;

    use super::*;
    use crate::{Effect, LinkId, Sync, limits};

    #[test]
    fn golden_and_back_and_ignored_by_those_who_speak_already() {
        let frame = introduction_frame(&[7, 8]);
        assert_eq!(frame, [1, 6, 7, 8]);
        assert_eq!(introduction_in(&frame), Some(&[7, 8][..]));
        assert_eq!(introduction_in(&[1, 5, 7]), None);
        assert_eq!(introduction_in(&[1]), None);
        let (now, link) = (Timestamp::from_millis(0), LinkId(1));
        let mut sync = Sync::new([0; 32]);
        sync.link_up(now, link);
        assert_eq!(sync.receive(now, link, &frame), Ok(()));
        assert!(matches!(sync.poll_effect(), Some(Effect::Send(..))), "our position alone");
        assert_eq!(sync.poll_effect(), None);
    }

    #[test]
    fn a_link_on_which_nothing_is_heard_is_told_of_at_each_comparison() {
        let (mut now, link) = (Timestamp::from_millis(0), LinkId(1));
        let mut sync = Sync::new([0; 32]);
        sync.link_up(now, link);
        let mut unheard = 0;
        for _ in 0..4 {
            let effects: Vec<_> = std::iter::from_fn(|| sync.poll_effect()).collect();
            unheard += effects.iter().filter(|one| **one == Effect::Unheard(link)).count();
            now = sync.poll_timeout().expect("it compares again");
            sync.timeout(now);
        }
        assert_eq!(unheard, 3);
        assert!(now <= Timestamp::from_millis(0).after(limits::COMPARE * 5));
    }
}
