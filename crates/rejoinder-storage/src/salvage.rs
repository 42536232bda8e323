//! Salvage: a damaged file is set aside whole, and everything that can still be read of it goes
//! into a new one.
//!
//! A row that can't be read leaves a mark in its place, an empty value: at its key, or where a walk
//! through a table broke off. So a loss stays known until the replica, which knows what the rows
//! mean, has dealt with it.

use std::collections::{BTreeMap, BTreeSet};

use redb::{Durability, ReadableDatabase, ReadableTable, TableHandle};
use rejoinder_replica::{Salvaged, Table};

use crate::{
    backend::{Backend, Freezable},
    error::{Failure, What},
    format::{self, definition},
    guard::guarded,
    readonly_view::{self, Commit},
    row_checksum::{self, LOST},
    version::Version,
};

/// The rows that were found of a table.
#[derive(Debug, Default)]
struct Walked {
    sound: BTreeMap<Vec<u8>, Vec<u8>>,
    damaged: BTreeSet<Vec<u8>>,
    /// The place of a gap: rows may be missing there without a trace.
    gap: Option<Vec<u8>>,
}

/// Makes a new file from everything that can be read. If this fails, the old one is where it was.
pub(crate) fn salvage(backend: &dyn Backend, why: String) -> Result<Salvaged, Failure> {
    let found = read(backend)?;
    write(backend, &found)?;
    let kept = backend.replace()?;
    let count = |of: fn(&Walked) -> usize| found.values().map(of).sum::<usize>() as u64;
    let rows = count(|walked| walked.sound.len());
    let lost = count(|walked| walked.damaged.len() + usize::from(walked.gap.is_some()));
    tracing::warn!(%why, %kept, rows, lost, "the home's file was damaged and is made anew");
    Ok(Salvaged { why, kept, rows, lost })
}

/// Whether a file that redb takes for another program's is still ours: with a patched header it has
/// tables with our names.
pub(crate) fn is_ours(backend: &dyn Backend) -> bool {
    [Commit::Newer, Commit::Older].into_iter().any(|commit| {
        let tables = guarded(|| {
            let database = readonly_view::open(backend.open()?, commit)?;
            let read = database.begin_read()?;
            let tables = read.list_tables()?;
            Ok(tables.map(|table| table.name().to_owned()).collect::<Vec<_>>())
        });
        let ours = |name: &String| Table::ALL.iter().any(|table| table.name() == name.as_str());
        // A single name could be another program's, or damaged.
        tables.is_ok_and(|tables| tables.iter().filter(|name| ours(name)).count() >= 2)
    })
}

fn read(backend: &dyn Backend) -> Result<BTreeMap<Table, Walked>, Failure> {
    let mut found: BTreeMap<Table, Walked> = BTreeMap::new();
    for commit in [Commit::Newer, Commit::Older] {
        if Table::ALL.iter().all(|table| found.get(table).is_some_and(Walked::is_whole)) {
            break;
        }
        let walked = guarded(|| {
            let database = readonly_view::open(backend.open()?, commit)?;
            let checked = match guarded(|| format::version(&database)) {
                // That release knows its own file, and may repair it better.
                Ok(Version::Newer(version)) => return Ok(Err(What::Newer(version))),
                Ok(Version::WithoutChecksums) => false,
                Ok(Version::Ours) | Err(_) => true,
            };
            Ok(Ok(Table::ALL.map(|table| (table, walk(&database, table, checked)))))
        });
        match walked {
            Ok(Err(newer)) => return Err(newer.into()),
            Ok(Ok(walked)) => {
                for (table, walked) in walked {
                    match found.get_mut(&table) {
                        None => drop(found.insert(table, walked)),
                        Some(newer) => newer.fill_from(walked),
                    }
                }
            }
            Err(failure) => tracing::warn!(?failure, ?commit, "a commit can't be read"),
        }
    }
    for table in Table::ALL {
        found.entry(table).or_insert_with(|| Walked { gap: Some(Vec::new()), ..Walked::default() });
    }
    Ok(found)
}

impl Walked {
    fn is_whole(&self) -> bool {
        self.gap.is_none() && self.damaged.is_empty()
    }

    /// Takes rows that are lost in the newer commit from the older one, where they may be intact.
    fn fill_from(&mut self, older: Self) {
        if self.is_whole() {
            return;
        }
        for (key, value) in older.sound {
            if self.gap.is_some() || self.damaged.contains(&key) {
                self.damaged.remove(&key);
                self.sound.entry(key).or_insert(value);
            }
        }
    }

    /// Notes a row.
    fn note(&mut self, name: &str, key: &[u8], stored: &[u8], checked: bool) {
        let value = if checked { row_checksum::value(name, key, stored) } else { Some(stored) };
        match value {
            Some(value) => drop(self.sound.insert(key.to_vec(), value.to_vec())),
            None => drop(self.damaged.insert(key.to_vec())),
        }
    }
}

/// Walks through a table as far as possible, from either end.
fn walk(database: &impl ReadableDatabase, table: Table, checked: bool) -> Walked {
    let mut walked = Walked::default();
    let mut last: Option<Vec<u8>> = None;
    let mut seen = 0;
    let forward = guarded(|| {
        let rows = database.begin_read()?.open_table(definition(table))?;
        for row in rows.iter()? {
            let (key, stored) = row?;
            if last.as_deref().is_some_and(|last| last >= key.value()) {
                return Err(What::Damaged("rows are not in their order".into()).into());
            }
            last = Some(key.value().to_vec());
            walked.note(table.name(), key.value(), stored.value(), checked);
            seen += 1;
        }
        // A damaged page may lead past rows without an error.
        Ok(redb::ReadableTableMetadata::len(&rows)? == seen)
    });
    if matches!(forward, Ok(true)) {
        return walked;
    }
    let end = last.map_or_else(Vec::new, |last| [&last[..], &[0]].concat());
    let mut before: Option<Vec<u8>> = None;
    let backward = guarded(|| {
        let rows = database.begin_read()?.open_table(definition(table))?;
        for row in rows.iter()?.rev() {
            let (key, stored) = row?;
            let in_order = before.as_deref().is_none_or(|before| key.value() < before);
            // Back at the rows that the walk from the front has seen, or in a circle.
            if key.value() < end.as_slice() || !in_order {
                break;
            }
            before = Some(key.value().to_vec());
            walked.note(table.name(), key.value(), stored.value(), checked);
        }
        Ok(())
    });
    if let Err(failure) = backward {
        tracing::debug!(?failure, table = table.name(), "a table can't be read from its end");
    }
    // The mark of the gap must not take the place of a row.
    let mut gap = end;
    while walked.sound.contains_key(&gap) {
        gap.push(0);
    }
    walked.gap = Some(gap);
    walked
}

fn write(backend: &dyn Backend, found: &BTreeMap<Table, Walked>) -> Result<(), Failure> {
    let beside = Freezable::new(backend.open_beside()?);
    let frozen = beside.frozen();
    let database = format::create(beside, &frozen)?;
    let mut write = database.begin_write()?;
    write.set_durability(Durability::Immediate)?;
    for (table, walked) in found {
        let mut rows = write.open_table(definition(*table))?;
        for key in walked.damaged.iter().chain(&walked.gap) {
            rows.insert(key.as_slice(), LOST)?;
        }
        for (key, value) in &walked.sound {
            rows.insert(
                key.as_slice(),
                row_checksum::with_checksum(table.name(), key, value).as_slice(),
            )?;
        }
    }
    write.commit()?;
    Ok(database.close()?)
}
