//! Reads rows, and tells intact ones from damaged ones.

use redb::{ReadableDatabase, ReadableTableMetadata};
use rejoinder_replica::{Load, Loaded, Table};

use crate::{
    error::Failure,
    format::definition,
    row_checksum::{self, LOST},
};

/// The result of a read.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) loaded: Loaded,
    /// Why the file should be salvaged: the pages around a damaged row can't be relied on. Marks of
    /// the last salvage are no reason.
    pub(crate) trouble: Option<&'static str>,
}

/// All of a table.
pub(crate) fn table(database: &impl ReadableDatabase, table: Table) -> Result<Scan, Failure> {
    let mut scan = rows(database, &Load { table, prefix: Vec::new() })?;
    let found = scan.loaded.rows.len() + scan.loaded.damaged.len();
    let counted = database.begin_read()?.open_table(definition(table))?.len()?;
    if counted != found as u64 {
        scan.trouble.get_or_insert("a table has not as many rows as it should");
    }
    Ok(scan)
}

/// The rows whose keys begin with the prefix, in the order of their keys.
pub(crate) fn rows(database: &impl ReadableDatabase, load: &Load) -> Result<Scan, Failure> {
    let Load { table, prefix } = load;
    let read = database.begin_read()?;
    let rows = read.open_table(definition(*table))?;
    let mut scan = Scan::default();
    let mut last: Option<Vec<u8>> = None;
    for row in rows.range(prefix.as_slice()..)? {
        let (key, stored) = row?;
        let (key, stored) = (key.value(), stored.value());
        let wanted = key.starts_with(prefix);
        match row_checksum::value(table.name(), key, stored) {
            Some(value) if wanted => scan.loaded.rows.push((key.to_vec(), value.to_vec())),
            Some(_) => break,
            // The damage may be in its key, so the row after it is looked at in any case.
            None => {
                if wanted {
                    scan.loaded.damaged.push(key.to_vec());
                }
                if stored != LOST {
                    scan.trouble = Some("a row is not what was written");
                }
            }
        }
        if last.as_deref().is_some_and(|last| last >= key) {
            scan.trouble = Some("rows are not in their order");
        }
        last = Some(key.to_vec());
    }
    Ok(scan)
}
