//! `docs/state.md` says how many groups and edges the table has.

use afterimage_gnm_types::{GnmStates, Group};
use afterimage_state::{Edge, Group as _};

#[test]
fn the_documentation_counts_groups_and_edges() {
    let page = include_str!("../../../docs/state.md");
    let row = page.lines().find(|line| line.starts_with("| GNM's registers")).expect("a row of \"Who has one\"");
    let counts = format!("| {} | {} |", Group::ALL.len(), Edge::<GnmStates>::all().len());
    assert!(row.ends_with(&counts), "docs/state.md has \"{row}\", and there are \"{counts}\"");
}
