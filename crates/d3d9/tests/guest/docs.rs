//! `docs/state.md` says how many groups and edges the table has.

use afterimage_d3d9::{DeviceState, Group};
use afterimage_state::{Edge, Group as _};

#[test]
fn the_documentation_counts_groups_and_edges() {
    let page = include_str!("../../../../docs/state.md");
    let row = page.lines().find(|line| line.starts_with("| a Direct3D 9 device")).expect("a row of \"Who has one\"");
    let counts = format!("| {} | {} |", Group::ALL.len(), Edge::<DeviceState>::all().len());
    assert!(row.ends_with(&counts), "docs/state.md has \"{row}\", and there are \"{counts}\"");
}
