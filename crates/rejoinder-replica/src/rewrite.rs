//! The file of an open home was damaged and has been recreated: what is in memory is written again,
//! and what is not is read and checked. So nothing is lost that this run knows.

use crate::{core::After, event::Event, replica::Replica, store::Salvaged, workspace::Workspace};

impl Replica {
    pub(crate) fn salvaged(&mut self, salvaged: Salvaged) {
        let lost = salvaged.lost > 0;
        self.core().tell(Event::Salvaged(salvaged));
        if !lost {
            return;
        }
        self.core().save_device(After::Nothing);
        for id in self.workspaces() {
            self.with(id, Workspace::write_again);
        }
    }
}
