//! Devices that ask to become members.

use rejoinder_identity::Timestamp;

use super::{Finalizer, Verdict};
use crate::{
    checked::Checked,
    join::Join,
    log::Log,
    record::{Body, MemberAdded},
    refusal::{NoAccess, Refusal},
    state::Invite,
};

impl Finalizer {
    /// Answers a join. `approved` is a person's answer, if one was asked: an invite may demand
    /// that.
    ///
    /// Expiry is judged by the host's clock alone. A device that is a member needs no seat and no
    /// invite that still holds; its name may be another now.
    pub fn admit(
        &self,
        log: &Log,
        now: Timestamp,
        join: &Checked<Join>,
        approved: Option<bool>,
    ) -> Verdict {
        if !self.is_current(log) {
            return Verdict::NotHost;
        }
        let id = join.proposal_id();
        if let Some(answered) = log.state().answered(&id) {
            return Verdict::Answered(answered.record);
        }
        let Join { device, name, invite, .. } = join.value();
        let added = |role, invite| {
            let (device, name) = (*device, name.clone());
            Ok(Body::MemberAdded(MemberAdded { device, name, role, invite, join: id }))
        };
        if let Some(member) = log.state().members().get(device) {
            return self.answer(log, now, id, *device, added(member.role, None));
        }
        let granted = match log.state().invites().get(invite) {
            None => Err(Refusal::Owner(NoAccess::UnknownInvite)),
            Some(held) => match may_use(held, now) {
                Err(refusal) => Err(refusal),
                Ok(()) if held.approve && approved.is_none() => return Verdict::NeedsApproval,
                Ok(()) if held.approve && approved == Some(false) => {
                    Err(Refusal::Owner(NoAccess::NotApproved))
                }
                Ok(()) => added(held.role, Some(*invite)),
            },
        };
        self.answer(log, now, id, *device, granted)
    }
}

fn may_use(invite: &Invite, now: Timestamp) -> Result<(), Refusal> {
    if now > invite.expires {
        return Err(Refusal::Owner(NoAccess::InviteExpired { expired: invite.expires }));
    }
    if invite.taken >= invite.seats {
        return Err(Refusal::Owner(NoAccess::NoSeatLeft { seats: invite.seats }));
    }
    Ok(())
}
