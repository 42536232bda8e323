//! What one call of a replica computes is counted.

use crate::{
    story::{ANA, HOST, draft, team, text},
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
