//! `docs/state.md` says how many groups and edges the table has.

use afterimage_state::{Edge, Group as _};
use afterimage_stream::packets::{Effect, Header, Init};
use afterimage_stream::{Group, Host, Kind, Reader};

#[test]
fn the_documentation_counts_groups_and_edges() {
    let page = include_str!("../../../docs/state.md");
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
        (7, 1_587_461_986),
        "packets have changed: bump `Init::VERSION`, and write both here"
    );
}

/// Packets with bytes of the upload arena: where these lie is another place in each run. `docs/adding.md` names what has to know.
#[test]
fn packets_with_uploads_are_known_where_places_change() {
    let uploads = |kind: &&Kind| {
        let units = 1 + kind.body_bytes() / 8;
        let mut words = vec![0; units];
        words[0] = bytemuck::cast(Header { kind: **kind as u16, units: units as u16, sequence: 0 });
        let located = Reader::new(&words).next().expect("a packet").expect("it decodes");
        let mut found = false;
        located.packet.effects(|effect| found |= matches!(effect, Effect::Uploads(_)));
        found
    };
    let kinds: Vec<Kind> = Kind::ALL.iter().filter(uploads).copied().collect();
    assert_eq!(
        kinds,
        [Kind::CreateShader, Kind::UpdateBuffer, Kind::UpdateTexture],
        "crates/stream/src/hash.rs leaves out where the bytes lie, apps/afterimage/src/trim/rebuild.rs carries them"
    );
}
