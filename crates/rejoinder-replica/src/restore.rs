//! A replica as its home left it: rows back into state. Documents stay on the disk.

use std::{collections::BTreeMap, fmt};

use rejoinder_finalizer::LogError;
use rejoinder_identity::{
    ActorId, DecodeError, DocumentId, Frontier, PeerId, RecordId, Tip, WorkspaceId,
};

use crate::{
    core::Core,
    document::Slot,
    rows::{self, DeviceRow, FrontierRow, ProposalRow, WorkspaceRow},
    store::{Restored, Rows, Table},
    wish::{Content, Wish},
    workspace::{Own, Workspace},
};

/// The home holds rows that can't be used.
#[derive(Debug)]
pub enum RestoreError {
    /// A row can't be read.
    Row(DecodeError),
    /// A key of that table is none of ours.
    Key(Table),
    /// A record of a log does not follow the one before it.
    Record {
        /// Whose log.
        workspace: WorkspaceId,
        /// Its place.
        place: u64,
        /// Why.
        why: LogError,
    },
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row(error) => write!(f, "the home is damaged: {error}"),
            Self::Key(table) => write!(f, "the home is damaged: a foreign key in {}", table.name()),
            Self::Record { workspace, place, why } => {
                write!(f, "the home is damaged: record {place} of workspace {workspace}: {why}")
            }
        }
    }
}

impl std::error::Error for RestoreError {}

impl From<DecodeError> for RestoreError {
    fn from(error: DecodeError) -> Self {
        Self::Row(error)
    }
}

/// Puts the rows of a home back into state.
pub(crate) fn restore(
    core: &mut Core,
    mut restored: Restored,
) -> Result<BTreeMap<WorkspaceId, Workspace>, RestoreError> {
    let mut take = |table| restored.rows.remove(&table).unwrap_or_default();
    let mut workspaces = BTreeMap::new();
    for (key, value) in take(Table::Meta) {
        if key == rows::DEVICE {
            let row: DeviceRow = rows::row("device row", &value)?;
            core.name = row.name;
            core.card_counter = row.card_counter;
        } else {
            let id = rows::workspace_of_key(&key).ok_or(RestoreError::Key(Table::Meta))?;
            let row: WorkspaceRow = rows::row("workspace row", &value)?;
            let mut workspace = Workspace::new(id, core.draw());
            workspace.root = row.root_key();
            workspace.hints = row.hints;
            workspace.join = row.join;
            workspaces.insert(id, workspace);
        }
    }
    records(&mut workspaces, take(Table::Records))?;
    frontiers(core, &mut workspaces, take(Table::Frontiers))?;
    for workspace in workspaces.values_mut() {
        let openings: Vec<_> =
            workspace.log.state().requests().map(rejoinder_finalizer::Request::opening).collect();
        for opening in openings {
            workspace.carried_by_record(&opening);
        }
    }
    let proposals = take(Table::Proposals);
    #[cfg(rejoinder_mutants)]
    let proposals = if rejoinder_identity::mutant::is("mutant-proposals-forgotten-at-restart") {
        Rows::new()
    } else {
        proposals
    };
    wishes(core, &mut workspaces, proposals)?;
    for (_, card) in take(Table::Addresses) {
        // Only members' cards are stored.
        core.cards.take(&card, |_| true);
    }
    Ok(workspaces)
}

fn records(
    workspaces: &mut BTreeMap<WorkspaceId, Workspace>,
    rows: Rows,
) -> Result<(), RestoreError> {
    let mut ids: BTreeMap<WorkspaceId, Vec<RecordId>> = BTreeMap::new();
    for (key, bytes) in rows {
        let (id, place) =
            rows::record_place_of_key(&key).ok_or(RestoreError::Key(Table::Records))?;
        let Some(workspace) = workspaces.get_mut(&id) else { continue };
        let damaged = |why| RestoreError::Record { workspace: id, place, why };
        let record = workspace.log.check(&bytes).map_err(damaged)?;
        let appended = workspace.log.append(record).map_err(damaged)?;
        ids.entry(id).or_default().push(appended.record);
    }
    for (id, ids) in ids {
        let Some(workspace) = workspaces.get_mut(&id) else { continue };
        workspace.sync.restore_log(workspace.log.position().epoch, ids);
        for request in workspace.log.state().requests() {
            workspace.slots.insert(request.document(), Slot::cold(request.opening()));
        }
    }
    Ok(())
}

fn frontiers(
    core: &Core,
    workspaces: &mut BTreeMap<WorkspaceId, Workspace>,
    rows: Rows,
) -> Result<(), RestoreError> {
    let mut documents: BTreeMap<DocumentId, BTreeMap<ActorId, (PeerId, Tip)>> = BTreeMap::new();
    for (key, value) in rows {
        let (document, actor) =
            rows::frontier_of_key(&key).ok_or(RestoreError::Key(Table::Frontiers))?;
        let FrontierRow { author, tip } = rows::row("frontier row", &value)?;
        documents.entry(document).or_default().insert(actor, (author, tip));
    }
    for (document, actors) in documents {
        let Some(workspace) =
            workspaces.values_mut().find(|workspace| workspace.slots.contains_key(&document))
        else {
            continue;
        };
        let frontier: Frontier = actors.iter().map(|(actor, (_, tip))| (*actor, *tip)).collect();
        workspace.sync.restore_document(document, &frontier);
        for (actor, (author, tip)) in actors {
            if author == core.me {
                // Whether a peer has them is not stored: it tells when it is met.
                let own = Own { written: tip.seq, carried: 0 };
                workspace.own.insert((document, actor), own);
            }
        }
    }
    Ok(())
}

fn wishes(
    core: &mut Core,
    workspaces: &mut BTreeMap<WorkspaceId, Workspace>,
    rows: Rows,
) -> Result<(), RestoreError> {
    for (key, value) in rows {
        let (id, proposal) =
            rows::proposal_of_key(&key).ok_or(RestoreError::Key(Table::Proposals))?;
        let ProposalRow { arrival, bytes } = rows::row("proposal row", &value)?;
        let Some(workspace) = workspaces.get_mut(&id) else { continue };
        let Ok(content) = Content::read(&bytes, &id) else {
            return Err(RestoreError::Key(Table::Proposals));
        };
        core.next_arrival = core.next_arrival.max(arrival + 1);
        if content.author() == core.me {
            let course = crate::fate::Course { saved: true, ..Default::default() };
            workspace.courses.insert(proposal, course);
        }
        if let Content::Proposal(_) = content {
            // What was taken in once stays: the limit is for what comes.
            let _ = workspace.unanswered.hold(content.author(), proposal);
        }
        workspace.sync.restore_proposal(proposal);
        workspace.wishes.insert(proposal, Wish { content, arrival, stored: true });
    }
    Ok(())
}
