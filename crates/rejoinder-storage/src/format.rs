//! The form of the file: which tables it has, and the row that says which release's form it is.

use redb::{Database, Durability, ReadableDatabase, TableDefinition, TableHandle};
use rejoinder_replica::{Restored, Rows, Table};

use crate::error::{Failure, What};

/// The version of the form that this release writes, and the highest that it reads.
pub const FORMAT: u32 = 1;

type Definition = TableDefinition<'static, &'static [u8], &'static [u8]>;

/// The one table of the storage itself, with one row. Both stay for ever where they are: it is
/// what an older release looks at to know that it must not touch the rest.
const FORMAT_TABLE: Definition = TableDefinition::new("format");
const FORMAT_KEY: &[u8] = b"version";

pub(crate) fn definition(table: Table) -> Definition {
    TableDefinition::new(table.name())
}

/// Checks that this release may touch the file, and makes what it lacks.
pub(crate) fn prepare(database: &Database) -> Result<(), Failure> {
    let tables: Vec<String> = {
        let read = database.begin_read()?;
        read.list_tables()?.map(|table| table.name().to_owned()).collect()
    };
    if tables.is_empty() {
        // New, or its maker died before the first commit.
        return make(database);
    }
    if !tables.iter().any(|name| name == FORMAT_TABLE.name()) {
        return Err(What::Foreign.into());
    }
    match version(database)? {
        newer if newer > FORMAT => Err(What::Newer(newer).into()),
        _ if Table::ALL.iter().all(|table| tables.iter().any(|name| name == table.name())) => {
            Ok(())
        }
        // Tables may be added within a format.
        _ => make(database),
    }
}

fn version(database: &Database) -> Result<u32, Failure> {
    let read = database.begin_read()?;
    let table = read.open_table(FORMAT_TABLE)?;
    let row = table.get(FORMAT_KEY)?;
    row.and_then(|row| row.value().try_into().ok())
        .map(u32::from_le_bytes)
        .ok_or_else(|| What::Damaged("it does not say in which format it is".into()).into())
}

fn make(database: &Database) -> Result<(), Failure> {
    let mut write = database.begin_write()?;
    write.set_durability(Durability::Immediate)?;
    write.open_table(FORMAT_TABLE)?.insert(FORMAT_KEY, FORMAT.to_le_bytes().as_slice())?;
    for table in Table::ALL {
        write.open_table(definition(table))?;
    }
    Ok(write.commit()?)
}

/// What is read when a home is opened: all of some tables and nothing of the others.
pub(crate) fn restore(database: &Database) -> Result<Restored, Failure> {
    let mut restored = Restored::default();
    for table in Table::AT_OPEN {
        restored.rows.insert(table, rows(database, table, &[])?);
    }
    Ok(restored)
}

pub(crate) fn rows(database: &Database, table: Table, prefix: &[u8]) -> Result<Rows, Failure> {
    let read = database.begin_read()?;
    let table = read.open_table(definition(table))?;
    let mut rows = Rows::new();
    for row in table.range(prefix..)? {
        let (key, value) = row?;
        if !key.value().starts_with(prefix) {
            break;
        }
        rows.push((key.value().to_vec(), value.value().to_vec()));
    }
    Ok(rows)
}
