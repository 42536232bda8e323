//! Messages about damage to a home.

use std::collections::BTreeMap;

use rejoinder::{Event, Salvaged, Table};

/// Returns a word for the damage, and a sentence about it; `None` if the event is not about damage.
#[expect(clippy::wildcard_enum_match_arm, reason = "few events tell of damage")]
pub(crate) fn said(event: &Event) -> Option<(&'static str, String)> {
    Some(match event {
        Event::Damaged { rows } => ("damaged", damaged(rows)),
        Event::Salvaged(salvaged) => ("salvaged", self::salvaged(salvaged)),
        Event::OwnMissing { changes, proposals } => {
            ("own-missing", own_missing(*changes, *proposals))
        }
        Event::OwnCopy => ("own-copy", OWN_COPY.to_owned()),
        _ => return None,
    })
}

/// Says that rows were set aside.
fn damaged(rows: &BTreeMap<Table, u64>) -> String {
    // Sorted by name, not as in the file.
    let by_name: BTreeMap<_, _> = rows.iter().map(|(table, count)| (table.name(), count)).collect();
    let of = |(table, count): (&str, &u64)| format!("{} of {table}", counted(*count, "row"));
    let what: Vec<String> = by_name.into_iter().map(of).collect();
    let again = if rows.contains_key(&Table::Meta) {
        "; a workspace that is not shown any more is joined again with any of its tickets"
    } else {
        ""
    };
    let what = what.join(", ");
    format!("the home was damaged: {what} set aside; what a peer has is fetched again{again}")
}

/// Says that the file was made again from what could be read of it.
fn salvaged(salvaged: &Salvaged) -> String {
    let Salvaged { why, kept, rows, lost } = salvaged;
    format!(
        "the home's file was damaged ({why}): {} read into a new one, {} lost; the damaged file is \
         kept as {kept}",
        counted(*rows, "row"),
        counted(*lost, "row"),
    )
}

/// Says that edits or proposals of this device are missing.
fn own_missing(changes: u64, proposals: u64) -> String {
    let mut what = Vec::new();
    if changes > 0 {
        what.push(format!("{} of answers made here", counted(changes, "change")));
    }
    if proposals > 0 {
        what.push(format!("{} that may have been made here", counted(proposals, "proposal")));
    }
    format!("{} missing since: what a peer has comes back, what none has is lost", what.join(", "))
}

/// The message when others know more about this device than this home does.
const OWN_COPY: &str = "others know something newer of this device than this home does: a copy of the home \
     is in use elsewhere, or this one was set back to an earlier state; what the two write can conflict";

fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said() {
        let rows = BTreeMap::from([(Table::Envelopes, 3), (Table::Records, 1)]);
        assert_eq!(
            damaged(&rows),
            "the home was damaged: 3 rows of envelopes, 1 row of records set aside; what a peer \
             has is fetched again"
        );
        assert!(damaged(&BTreeMap::from([(Table::Meta, 1)])).contains("joined again"));
        assert_eq!(
            own_missing(2, 1),
            "2 changes of answers made here, 1 proposal that may have been made here missing \
             since: what a peer has comes back, what none has is lost"
        );
        let (why, kept) = ("redb stopped".to_owned(), "home.redb.damaged-1".to_owned());
        assert_eq!(
            salvaged(&Salvaged { why, kept, rows: 12, lost: 1 }),
            "the home's file was damaged (redb stopped): 12 rows read into a new one, 1 row lost; \
             the damaged file is kept as home.redb.damaged-1"
        );
    }
}
