//! The format of the file: its tables, and the rows that say which release's format it is.

use redb::{
    Builder, Database, Durability, ReadableDatabase, ReadableTable, StorageBackend,
    TableDefinition, TableHandle,
};
use rejoinder_replica::Table;

use crate::{
    backend::Frozen,
    error::{Failure, What},
    guard::guarded,
    limits, row_checksum,
    version::{FORMAT, Version, WITHOUT_CHECKSUMS},
};

type Definition = TableDefinition<'static, &'static [u8], &'static [u8]>;

/// The one table of the storage itself. It and its first row never move: an older release looks
/// there to know that it must not touch the rest. The second row is the first one's checksum, so
/// that a flipped bit is not taken for a later release.
const FORMAT_TABLE: Definition = TableDefinition::new("format");
const FORMAT_KEY: &[u8] = b"version";
const CHECKSUM_KEY: &[u8] = b"version/seal";

pub(crate) fn definition(table: Table) -> Definition {
    TableDefinition::new(table.name())
}

/// Opens what lies in a backend, a new file if that is empty, and brings it into this release's
/// format. A file in another one is closed as it is.
pub(crate) fn create(backend: impl StorageBackend, frozen: &Frozen) -> Result<Database, Failure> {
    let database = Builder::new().set_cache_size(limits::CACHE).create_with_backend(backend)?;
    guarded(|| prepare(&database)).inspect_err(|_| frozen.freeze())?;
    Ok(database)
}

/// Checks that this release may touch the file, and makes what it lacks.
fn prepare(database: &Database) -> Result<(), Failure> {
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
    let lacks = Table::ALL.iter().any(|table| !tables.iter().any(|name| name == table.name()));
    match version(database)? {
        Version::Newer(newer) => Err(What::Newer(newer).into()),
        Version::WithoutChecksums => add_checksums(database),
        Version::Ours if lacks && tables.iter().any(|name| !is_known(name)) => {
            Err(What::Damaged("a table has another name".into()).into())
        }
        // Tables may be added within a format.
        Version::Ours if lacks => make(database),
        Version::Ours => Ok(()),
    }
}

fn is_known(name: &str) -> bool {
    name == FORMAT_TABLE.name() || Table::ALL.iter().any(|table| table.name() == name)
}

pub(crate) fn version(database: &impl ReadableDatabase) -> Result<Version, Failure> {
    let table = database.begin_read()?.open_table(FORMAT_TABLE)?;
    let bytes = |key| Ok::<_, Failure>(table.get(key)?.map(|row| row.value().to_vec()));
    let (version, checksum) = (bytes(FORMAT_KEY)?, bytes(CHECKSUM_KEY)?);
    let number = version.as_deref().and_then(|row| row.try_into().ok()).map(u32::from_le_bytes);
    let checked = checksum.as_deref()
        == version.as_deref().map(checksum_of).as_ref().map(|checksum| &checksum[..]);
    match number {
        Some(WITHOUT_CHECKSUMS) if checksum.is_none() => Ok(Version::WithoutChecksums),
        Some(FORMAT) if checked => Ok(Version::Ours),
        // A later release may checksum this row otherwise, but not without a trace.
        Some(newer) if newer > FORMAT && (checked || checksum.is_none()) => {
            Ok(Version::Newer(newer))
        }
        Some(_) | None => Err(What::Damaged("it does not say in which format it is".into()).into()),
    }
}

fn checksum_of(version: &[u8]) -> [u8; 8] {
    row_checksum::checksum(FORMAT_TABLE.name(), FORMAT_KEY, version)
}

fn make(database: &Database) -> Result<(), Failure> {
    let mut write = database.begin_write()?;
    write.set_durability(Durability::Immediate)?;
    say_version(&write)?;
    for table in Table::ALL {
        write.open_table(definition(table))?;
    }
    Ok(write.commit()?)
}

fn say_version(write: &redb::WriteTransaction) -> Result<(), Failure> {
    let version = FORMAT.to_le_bytes();
    let mut table = write.open_table(FORMAT_TABLE)?;
    table.insert(FORMAT_KEY, version.as_slice())?;
    table.insert(CHECKSUM_KEY, checksum_of(&version).as_slice())?;
    Ok(())
}

/// From format 1: all rows get their checksums, in one transaction.
fn add_checksums(database: &Database) -> Result<(), Failure> {
    let mut write = database.begin_write()?;
    write.set_durability(Durability::Immediate)?;
    say_version(&write)?;
    for table in Table::ALL {
        let mut rows = write.open_table(definition(table))?;
        let without: Vec<_> = rows
            .iter()?
            .map(|row| row.map(|(key, value)| (key.value().to_vec(), value.value().to_vec())))
            .collect::<Result<_, _>>()?;
        for (key, value) in without {
            rows.insert(
                key.as_slice(),
                row_checksum::with_checksum(table.name(), &key, &value).as_slice(),
            )?;
        }
    }
    tracing::info!(
        from = WITHOUT_CHECKSUMS,
        to = FORMAT,
        "the home's file has this release's form now"
    );
    Ok(write.commit()?)
}
