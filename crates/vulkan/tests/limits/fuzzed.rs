//! What the fuzz target of the renderer found (`fuzz/targets/renderer.rs`), each as the smallest stream that does it.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectKind};

/// The segment that counted for it stayed open; state tracking says so where it is checked, as here.
#[test]
fn a_query_that_runs_may_be_destroyed_between_draws() {
    for kind in [QueryKind::Occlusion, QueryKind::Primitives] {
        let mut guest = Guest::new();
        guest.target(Format::R8G8B8A8_UNORM, 8, 8);
        guest.shaders(VERTEX, COLOR);
        guest.layout();
        guest.vertices(&full(0.5, RED));
        let query = guest.id(ObjectKind::Query);
        guest.encoder.push(&CreateQuery { id: query, kind: kind as u32 });
        guest.encoder.push(&BeginQuery { id: query, pad: 0 });
        guest.draw(Topology::TriangleList, 0, 3);
        guest.encoder.push(&Destroy { id: query, pad: 0 });
        guest.draw(Topology::TriangleList, 0, 6);
        assert_eq!(guest.pixels().count(rgba(RED)), 64);
        guest.finish();
    }
}
