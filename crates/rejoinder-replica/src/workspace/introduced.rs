//! Members that this log does not know yet. They were let in while this device was away, and show
//! the record by which the host did so; the log that has it comes over the links that they get.
//!
//! Nothing else is taken from a device that is no member, and nothing is told it: one whose
//! introduction shows nothing hears what one hears that asks about a workspace which is not here.

use std::collections::BTreeMap;

use rejoinder_finalizer::Introduced;
use rejoinder_identity::{PeerId, Timestamp};
use rejoinder_sync::{LinkId, introduction_frame, introduction_in};

use crate::{core::Core, event::Event, limits, workspace::Workspace};

/// The members that the log awaits.
#[derive(Debug, Default)]
pub(crate) struct Introductions {
    awaited: BTreeMap<PeerId, Introduced>,
    /// When an introduction that came over a link was looked at last: to check one is work.
    looked: BTreeMap<LinkId, Timestamp>,
}

impl Introductions {
    pub(super) fn forget_link(&mut self, link: LinkId) {
        self.looked.remove(&link);
    }

    /// Decides whether to look at one that came over that link.
    fn is_looked_at(&mut self, now: Timestamp, link: LinkId) -> bool {
        let last = self.looked.get(&link);
        if last.is_some_and(|last| now < last.after(limits::INTRODUCTION_SOONEST)) {
            return false;
        }
        self.looked.insert(link, now);
        true
    }
}

impl Workspace {
    /// A frame that introduces this device to members which don't know it.
    pub(crate) fn introduction(&self, core: &Core) -> Option<Vec<u8>> {
        Some(introduction_frame(&self.chain.log().introduction(&core.me)?))
    }

    /// True if a device is a member: by this log, or by a record that this log does not have yet.
    pub(crate) fn is_let_in(&self, device: &PeerId) -> bool {
        let introduced = self.introductions.awaited.get(device);
        self.member(device).is_some() || introduced.is_some_and(|one| self.chain.log().awaits(one))
    }

    /// The devices that were introduced and are awaited still.
    pub(super) fn introduced(&self) -> impl Iterator<Item = &PeerId> {
        let awaited = self.introductions.awaited.iter();
        awaited
            .filter(|(_, introduced)| self.chain.log().awaits(introduced))
            .map(|(device, _)| device)
    }

    /// A device that is no member here sent a frame over a link. All but an introduction is passed
    /// over: this log may be behind, and the comparison that begins when it has caught up brings
    /// what was missed.
    pub(super) fn stranger_said(
        &mut self,
        core: &mut Core,
        link: LinkId,
        device: PeerId,
        frame: &[u8],
    ) {
        if introduction_in(frame).is_some() && self.introductions.is_looked_at(core.now, link) {
            self.introduce(core, device, frame);
        }
    }

    /// A device says that it is a member, and shows it. Returns whether it is let in, `None` if it
    /// said something else.
    pub(super) fn introduce(
        &mut self,
        core: &mut Core,
        device: PeerId,
        frame: &[u8],
    ) -> Option<bool> {
        let introduction = introduction_in(frame)?;
        if self.is_let_in(&device) {
            return Some(true);
        }
        let awaited = &mut self.introductions.awaited;
        awaited.retain(|_, introduced| self.chain.log().awaits(introduced));
        let introduced = self.chain.log().introduced(introduction, &device);
        let Some(introduced) = introduced.filter(|_| awaited.len() < limits::INTRODUCED) else {
            return Some(false);
        };
        tracing::info!(workspace = %self.id, device = %device.short(), "a member before its record");
        awaited.insert(device, introduced);
        core.tell(Event::PeersChanged);
        Some(true)
    }

    /// A newer epoch may have made void what let devices in: they are strangers again.
    pub(super) fn part_with_strangers(&mut self) {
        let Introductions { awaited, .. } = &self.introductions;
        let strangers = self.peers.links_to(|peer| {
            self.member(peer).is_none()
                && awaited.get(peer).is_some_and(|introduced| !self.chain.log().awaits(introduced))
        });
        for link in strangers {
            self.link_down(link);
        }
    }
}
