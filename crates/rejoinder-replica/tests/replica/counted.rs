//! What one call of a replica computes is counted.

use rejoinder_replica::Table;

use crate::{
    story::{ANA, BEN, HOST, draft, team, text},
    world::World,
};

/// The most that the host has computed at one go, of changes.
fn changes(world: &World) -> u64 {
    world.replica(HOST).work().changes
}

#[test]
fn what_comes_at_once_costs_once_and_not_again_for_all_that_is_there() {
    let (mut world, workspace, opening, _) = team(301, &["host", "ana"]);
    let write_apart = |world: &mut World, from: u32| {
        world.cut(HOST, ANA);
        for number in from..from + 40 {
            let edit = draft("notes", text(&format!("note {number}")));
            world.edit(ANA, workspace, opening, edit).unwrap();
        }
        world.link(HOST, ANA);
        world.quiet();
    };
    assert!(changes(&world) < 5);
    write_apart(&mut world, 0);
    // They come in one frame, or in a few.
    let first = changes(&world);
    assert!((20..50).contains(&first), "{first}");
    write_apart(&mut world, 100);
    let second = changes(&world);
    assert!((20..50).contains(&second), "{second}");
    assert!(world.replica(HOST).work().items >= second);
    // A document that is read costs what is in it.
    world.crash(HOST);
    world.start(HOST);
    world.quiet();
    assert!((80..90).contains(&changes(&world)), "{}", changes(&world));
}

/// Fourteen envelopes that lay behind a lost one were tried again at each of 307 changes that came
/// in one call, though none was what they waited for.
#[test]
fn what_lies_behind_a_lost_envelope_is_tried_when_that_comes_and_not_at_each_other() {
    let (mut world, workspace, opening, _) = team(302, &["host", "ana", "ben"]);
    world.cut(BEN, HOST);
    world.cut(BEN, ANA);
    for number in 0..40 {
        for peer in [ANA, BEN] {
            let edit = draft("notes", text(&format!("note {number}")));
            world.edit(peer, workspace, opening, edit).unwrap();
        }
    }
    world.quiet();
    world.crash(HOST);
    let envelopes = world.keys(HOST, Table::Envelopes);
    world.rot(HOST, Table::Envelopes, &envelopes[0]);
    let rows = envelopes.len() as u64;
    world.cut(HOST, ANA);
    world.start(HOST);
    world.quiet();
    world.link(HOST, BEN);
    world.pass(60_000);
    let others = changes(&world);
    assert!(others <= rows + 50, "{others} for {rows} rows");
    world.link(HOST, ANA);
    world.pass(60_000);
    let (mine, theirs) = [HOST, ANA].map(|peer| world.answers(peer, workspace, opening)).into();
    assert_eq!(mine, theirs);
    // The lost one brings them all, each tried once.
    assert!((rows - 1..rows + 50).contains(&changes(&world)), "{} of {rows}", changes(&world));
}
