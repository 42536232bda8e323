//! The word of the program that asked: it has what became of a request.

use rejoinder_finalizer::Status;
use rejoinder_identity::OpeningId;

use super::Workspace;
use crate::{
    core::{After, Core},
    input::CommandId,
    output::Reply,
    refused::Refused,
    store::Batch,
};

impl Workspace {
    /// Notes that the program has what became of a request, which must be over.
    pub(crate) fn handed_over(
        &mut self,
        core: &mut Core,
        id: CommandId,
        opening: &OpeningId,
    ) -> Result<(), Refused> {
        match self.request(opening).map(|request| request.status()) {
            Ok(Status::Open | Status::Suspended(_)) => return Err(Refused::NotOver),
            // One that was removed is over too.
            Ok(Status::Decided(_) | Status::Ended(_)) | Err(_) => {}
        }
        core.may_write()?;
        let mut batch = Batch::default();
        self.outcomes.told(&self.id, opening, &mut batch);
        core.store(batch, After::Reply(id, Reply::Saved));
        Ok(())
    }
}
