//! The logs of a home: as far as their rows are whole and follow each other. Of the rest a member
//! gets what the others have; a host can't go on without it.

use std::collections::BTreeMap;

use rejoinder_finalizer::Log;
use rejoinder_identity::{RecordId, WorkspaceId};

use super::{Broken, Lost, RestoreError, Workspaces};
use crate::{
    core::Core,
    rows,
    store::{Rows, Table},
};

/// The rows of one log by their places, `None` where one is damaged.
type Places = BTreeMap<u64, Option<Vec<u8>>>;

pub(crate) fn restore(
    core: &Core,
    workspaces: &mut Workspaces,
    rows: Rows,
    lost: &mut Lost,
) -> Result<(), RestoreError> {
    let mut logs: BTreeMap<WorkspaceId, Places> = BTreeMap::new();
    for (key, bytes) in rows {
        match rows::record_place_of_key(&key) {
            Some((id, place)) => _ = logs.entry(id).or_default().insert(place, Some(bytes)),
            None => lost.add(Table::Records, key),
        }
    }
    // A damaged row whose key is damaged too may be of any log.
    let mut astray = false;
    for key in lost.keys(Table::Records) {
        match rows::record_place_of_key(key) {
            Some((id, place)) if workspaces.contains_key(&id) => {
                logs.entry(id).or_default().insert(place, None);
            }
            Some(_) | None => astray = true,
        }
    }
    for (id, workspace) in workspaces.iter_mut() {
        let places = logs.remove(id).unwrap_or_default();
        // The place of a damaged row may be what is damaged of it.
        let last = places.iter().rev().find(|(_, bytes)| bytes.is_some());
        let was = last.map_or(0, |(place, _)| place + 1).max(places.len() as u64);
        let mut ids = Vec::new();
        let broken = append(workspace.log_mut(), &mut ids, places);
        let length = workspace.log_length();
        let broken = broken.or_else(|| astray.then_some((length, Broken::Missing)));
        match broken {
            Some((place, why)) if workspace.can_host() => {
                return Err(RestoreError::Record { workspace: *id, place, why });
            }
            Some((place, why)) => {
                tracing::warn!(workspace = %id, place, ?why, "the log is cut here");
                workspace.was_longer(was);
            }
            None => {}
        }
        workspace.restore_log(ids);
    }
    // Of those that are left here the workspace's row is gone, and the root key if it was there.
    if lost.any(Table::Meta) {
        for (id, places) in logs {
            let mut log = Log::new(id);
            append(&mut log, &mut Vec::new(), places);
            if log.state().host() == Some(core.me) {
                return Err(RestoreError::RootKey { workspace: id });
            }
        }
    }
    Ok(())
}

/// Appends what follows; returns the first place that does not, and why.
fn append(log: &mut Log, ids: &mut Vec<RecordId>, places: Places) -> Option<(u64, Broken)> {
    for (next, (place, bytes)) in (0..).zip(places) {
        if place != next {
            return Some((next, Broken::Missing));
        }
        let Some(bytes) = bytes else { return Some((place, Broken::Damaged)) };
        let appended = log.check(&bytes).and_then(|record| log.append(record));
        match appended {
            Ok(appended) => ids.push(appended.record),
            Err(error) => return Some((place, Broken::NotFollowing(error))),
        }
    }
    None
}
