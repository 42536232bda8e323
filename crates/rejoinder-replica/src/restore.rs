//! A replica as its home left it: rows back into state. Documents stay on the disk.
//!
//! A member's home opens whatever is damaged in it: what can't be used is set aside and said, and
//! the others have it. A host's log must be whole, or it could decide again what it has decided.

mod error;
mod logs;
mod lost;

use std::collections::{BTreeMap, BTreeSet};

use rejoinder_identity::{ActorId, DocumentId, Hint, PeerId, Tip, WorkspaceId};

pub use self::error::{Broken, RestoreError};
use self::lost::Lost;
use crate::{
    access::Access,
    card::Card,
    core::Core,
    event::Event,
    proposals::{Content, Pending},
    rows::{self, DeviceRow, ProposalRow, VersionRow, WorkspaceRow},
    store::{Restored, Rows, Table},
    workspace::Workspace,
};

type Workspaces = BTreeMap<WorkspaceId, Workspace>;

/// Puts the rows of a home back into state.
pub(crate) fn restore(core: &mut Core, mut restored: Restored) -> Result<Workspaces, RestoreError> {
    let mut lost = Lost::new(std::mem::take(&mut restored.damaged));
    let rows_are_missing = restored.salvaged.as_ref().is_some_and(|salvaged| salvaged.lost > 0);
    let mut take = |table| restored.rows.remove(&table).unwrap_or_default();
    let mut workspaces = meta(core, take(Table::Meta), &mut lost);
    logs::restore(core, &mut workspaces, take(Table::Records), &mut lost)?;
    version_vectors(
        core,
        &mut workspaces,
        take(Table::VersionVectors),
        rows_are_missing,
        &mut lost,
    );
    workspaces.values_mut().for_each(Workspace::acknowledge_what_records_were_made_on);
    let proposals = take(Table::Proposals);
    let proposals = if rejoinder_identity::mutant!("mutant-proposals-forgotten-at-restart") {
        Rows::new()
    } else {
        proposals
    };
    waiting(core, &mut workspaces, proposals, &mut lost);
    cards(core, &mut workspaces, take(Table::Addresses), &mut lost);
    if let Some(salvaged) = restored.salvaged {
        core.tell(Event::Salvaged(salvaged));
    }
    lost.set_aside(core);
    Ok(workspaces)
}

/// A workspace whose row is lost is not known any more: a member finds the way back with any
/// ticket, and what else is here of it is read again when its log comes.
fn meta(core: &mut Core, rows: Rows, lost: &mut Lost) -> Workspaces {
    let mut workspaces = Workspaces::new();
    let mut device = None;
    let mut untold = Vec::new();
    for (key, value) in rows {
        if key == rows::DEVICE {
            device = lost.read::<DeviceRow>(Table::Meta, "device row", key, &value);
        } else if let Some(id) = rows::workspace_of_key(&key) {
            let row = lost.read::<WorkspaceRow>(Table::Meta, "workspace row", key, &value);
            let Some(row) = row else { continue };
            let access = Access::restored(row);
            workspaces.insert(id, Workspace::new(id, core.draw(), access));
        } else if let Some(noted) = rows::untold_of_key(&key) {
            untold.push(noted);
        }
        // Any other row is as it was written, by a release that knows it. It stays.
    }
    for (id, opening) in untold {
        let Some(workspace) = workspaces.get_mut(&id) else { continue };
        match opening {
            Some(opening) => workspace.restore_untold(opening),
            // A row that is lost may have been one of these.
            None => workspace.restore_noted(!lost.any(Table::Meta)),
        }
    }
    match device {
        Some(row) => (core.name, core.card_counter) = (row.name, row.card_counter),
        None => core.card_counter_lost = lost.any(Table::Meta),
    }
    workspaces
}

fn version_vectors(
    core: &mut Core,
    workspaces: &mut Workspaces,
    rows: Rows,
    rows_are_missing: bool,
    lost: &mut Lost,
) {
    let mut documents: BTreeMap<DocumentId, BTreeMap<ActorId, (PeerId, Tip)>> = BTreeMap::new();
    for (key, value) in rows {
        let Some((document, actor)) = rows::version_of_key(&key) else {
            lost.add(Table::VersionVectors, key);
            continue;
        };
        let row = lost.read::<VersionRow>(Table::VersionVectors, "version row", key, &value);
        let Some(VersionRow { author, tip }) = row else { continue };
        documents.entry(document).or_default().insert(actor, (author, tip));
    }
    suspect(core, workspaces, rows_are_missing, lost);
    for (document, actors) in documents {
        match workspaces.values_mut().find(|workspace| workspace.has_document(&document)) {
            None => drop(core.left_over.insert(document, actors)),
            Some(workspace) => workspace.restore_document(core.me, document, &actors),
        }
    }
}

/// Nothing is said to be held that no sound row says, nor for long what no row holds any more; so
/// the documents are read of which more may be here, or less. All of them, when it can't be seen
/// which, or when the file was made anew without some rows: this home must not be taken for one
/// that carries what it has lost.
fn suspect(core: &mut Core, workspaces: &mut Workspaces, rows_are_missing: bool, lost: &Lost) {
    let named: BTreeSet<Option<DocumentId>> = lost
        .keys(Table::VersionVectors)
        .map(|key| rows::version_of_key(key).map(|(of, _)| of))
        .collect();
    let known = |document: &DocumentId| {
        workspaces.values().any(|workspace| workspace.has_document(document))
    };
    let all = rows_are_missing
        || named.iter().any(|named| named.is_none_or(|document| !known(&document)));
    for document in named.iter().flatten() {
        core.left_over.entry(*document).or_default();
    }
    for workspace in workspaces.values_mut() {
        workspace.suspect(|one| all || named.contains(&Some(*one)));
    }
}

fn waiting(core: &mut Core, workspaces: &mut Workspaces, rows: Rows, lost: &mut Lost) {
    for (key, value) in rows {
        let Some((id, proposal)) = rows::proposal_of_key(&key) else {
            lost.add(Table::Proposals, key);
            continue;
        };
        let row = lost.read::<ProposalRow>(Table::Proposals, "proposal row", key.clone(), &value);
        let Some(ProposalRow { arrival, bytes }) = row else { continue };
        core.next_arrival = core.next_arrival.max(arrival.saturating_add(1));
        let Ok(content) = Content::read(&bytes, &id) else {
            lost.add(Table::Proposals, key);
            continue;
        };
        let pending = Pending { content, arrival, stored: true };
        match workspaces.get_mut(&id) {
            // The row of an older file, salvaged.
            Some(workspace) if workspace.is_over(&proposal, &pending.content) => {
                lost.remove_quietly(Table::Proposals, key);
            }
            Some(workspace) => workspace.restore_proposal(core.me, pending),
            None => core.left_over_proposals.entry(id).or_default().push(pending),
        }
    }
}

fn cards(core: &mut Core, workspaces: &mut Workspaces, rows: Rows, lost: &mut Lost) {
    let mut devices = Vec::new();
    for (key, card) in rows {
        match Card::read(&card).filter(|card| rows::card_key(&card.device()) == key) {
            // Only members' cards are stored.
            Some(card) => devices.extend(core.cards.take(card, |_| true)),
            None => lost.add(Table::Addresses, key),
        }
    }
    if let Some(counter) = core.cards.counter(&core.me) {
        core.card_counter = core.card_counter.max(counter);
    }
    if core.cards.get(&core.me).is_some() && core.card_counter_lost {
        core.card_counter_lost = lost.keys(Table::Addresses).next().is_some();
    }
    // Who let this device in may not be in what is left of a log; those with cards may be.
    for workspace in workspaces.values_mut() {
        if workspace.is_cut_short() {
            let others = devices.iter().filter(|device| **device != core.me);
            workspace.add_hints(others.map(|device| Hint {
                device: *device,
                addresses: core.cards.addresses(device).to_vec(),
            }));
        }
    }
}
