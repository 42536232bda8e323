//! Devices at the host's door: who waits for a record, and who for a person.

use rejoinder_identity::{PeerId, ProposalId};

use super::Work;
use crate::{
    core::Core,
    event::Event,
    input::{AskId, CommandId},
    proposals::Content,
    refused::Refused,
    workspace::JoinAnswer,
    workspace::Workspace,
};

impl Workspace {
    pub(super) fn ask_a_person(&mut self, core: &mut Core, id: ProposalId) {
        let Some(Content::Join(join)) = self.proposals.get(&id) else { return };
        let (device, name) = (join.value().device, join.value().name.clone());
        let Some(hosting) = &mut self.hosting else { return };
        let new = hosting.door.insert(device);
        self.answer_those_at_the_door(core, &id, &JoinAnswer::Waiting);
        // About a device that asks over and over, a person is asked once.
        if new {
            core.tell(Event::ApprovalNeeded { workspace: self.id, device, name });
        }
    }

    pub(super) fn approve(&mut self, core: &mut Core, id: CommandId, device: PeerId, yes: bool) {
        let Some(hosting) = &mut self.hosting else { return };
        if hosting.door.remove(&device) {
            hosting.queue.push_front(Work::Approved(id, device, yes));
        } else {
            core.reply(id, Err(Refused::NobodyWaits(device)));
        }
    }

    /// A device at the door hears when the record that answers it is written; from a member that
    /// is not the host, that it must wait.
    pub(crate) fn join_stored(&mut self, core: &mut Core, id: ProposalId, ask: AskId) {
        match &mut self.hosting {
            // A newer one of the device has taken its place.
            _ if !self.proposals.contains(&id) => {
                core.answer_join(
                    ask,
                    self.join_answer(&id).unwrap_or(JoinAnswer::Waiting).to_bytes(),
                );
            }
            Some(hosting) => hosting.asks.entry(id).or_default().push(ask),
            None => core.answer_join(ask, JoinAnswer::Waiting.to_bytes()),
        }
    }

    /// A proposal or join was answered: so are the devices at the door that wait for it.
    pub(crate) fn answer_door(&mut self, core: &mut Core, id: &ProposalId) {
        let answer = self.join_answer(id).unwrap_or(JoinAnswer::Waiting);
        self.answer_those_at_the_door(core, id, &answer);
    }

    pub(crate) fn answer_those_at_the_door(
        &mut self,
        core: &mut Core,
        id: &ProposalId,
        answer: &JoinAnswer,
    ) {
        let asks = self.hosting.as_mut().and_then(|hosting| hosting.asks.remove(id));
        for ask in asks.into_iter().flatten() {
            core.answer_join(ask, answer.to_bytes());
        }
    }
}
