//! `docs/state.md` says how many groups and edges the table has.

use afterimage_state::{Edge, Group as _};
use afterimage_stream::packets::Init;
use afterimage_stream::{Group, Host, Kind};

#[test]
fn the_documentation_counts_groups_and_edges() {
    let page = include_str!("../../../../docs/state.md");
    let row = page.lines().find(|line| line.starts_with("| the host |")).expect("a row of \"Who has one\"");
    let counts = format!("| {} | {} |", Group::ALL.len(), Edge::<Host>::all().len());
    assert!(row.ends_with(&counts), "docs/state.md has \"{row}\", and there are \"{counts}\"");
}

/// Programs and viewers of different versions refuse each other, and so do captures: what packets look like has a version.
#[test]
fn the_version_goes_up_with_the_packets() {
    let rows = Kind::ALL
        .iter()
        .flat_map(|kind| format!("{:x} {} {};", *kind as u16, kind.name(), kind.body_bytes()).into_bytes());
    // FNV-1a of numbers, names and sizes.
    let table = rows.fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    assert_eq!(
        (Init::VERSION, table),
        (10, 993_915_550),
        "packets have changed: bump `Init::VERSION`, and write both here"
    );
}
