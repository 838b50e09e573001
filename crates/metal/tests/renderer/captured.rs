//! What kernels that capture fetch is what Metal's own vertex functions read, wherever and however vertices lie.

use crate::common::code::{Code, bind_storage, bytes};
use crate::common::*;
use afterimage_ir::{FeedbackDecl, InputAt, Kind, OutputAt, OutputDecl, Stage as In, Type};
use afterimage_stream::packets::*;
use afterimage_stream::{ObjectId, ObjectKind, VertexFormat};

/// What buffers hold where nothing is written.
const FILL: u32 = 0xdead_beef;
const VERTICES: u32 = 9;

/// A vertex shader that gives what it reads: captured, or stored by itself as vertex n of `count` registers.
fn reads(guest: &mut Guest, count: u8, captures: bool) -> ObjectId {
    let mut code = Code::new(In::Vertex);
    let values: Vec<_> = (0..count).map(|n| code.input(InputAt::Location(n), Type::F32X4)).collect();
    let number = code.input(InputAt::VertexIndex, Type::I32);
    for (n, value) in (0u8..).zip(values) {
        if captures {
            let at = OutputAt::Location(n);
            let output = code.b.output(OutputDecl { name: String::new(), ty: Type::F32X4, at, semantic: None });
            code.b.store_output(output, value);
            let (stride, offset) = (16 * u32::from(count), 16 * u32::from(n));
            code.b.feedback(FeedbackDecl { output, component: 0, lanes: 4, buffer: 0, stream: 0, stride, offset });
        } else {
            let (words, first) = (code.b.i32(4 * i32::from(count)), code.b.i32(4 * i32::from(n)));
            let at = code.b.imul(number, words);
            let at = code.b.iadd(at, first);
            let place = code.word(0, at);
            let value = code.b.cast(value, Kind::Int);
            code.b.store_global(place, value);
        }
    }
    let place = code.b.f32x4([0.0, 0.0, 0.0, 1.0]);
    let size = code.b.f32(1.0);
    code.output(OutputAt::Position, place);
    code.output(OutputAt::PointSize, size);
    code.create(guest)
}

#[test]
fn captured_vertices_are_those_that_are_drawn() {
    let mut guest = Guest::new();
    guest.encoder.push(&SetRaster { discard: 1, depth_clip: 1, ..SetRaster::default() });
    // No float of it is none, halves neither.
    let noise: Vec<u32> = (1u32..400).map(|n| n.wrapping_mul(0x9e37_79b1) & 0xbfbf_bfbf).collect();
    let source = guest.buffer(CreateBuffer::VERTEX, bytes(&noise));
    for formats in VertexFormat::ALL.chunks(5) {
        let count = formats.len() as u8;
        let [captures, stores] = [true, false].map(|captures| reads(&mut guest, count, captures));
        // Whole words; halves of them; none; and cut off behind the second vertex's first attribute.
        for (offset, gap, cut) in [(0, 0, false), (4, 8, false), (2, 2, false), (3, 5, false), (8, 0, true)] {
            let mut at = 0;
            let attributes: Vec<_> = (0..)
                .zip(formats)
                .map(|(n, format)| {
                    at += format.bytes() as u16;
                    VertexAttribute::per_vertex(n, 0, *format, at - format.bytes() as u16)
                })
                .collect();
            let id = guest.id(ObjectKind::VertexInput);
            guest.encoder.push_tail(&CreateVertexInput { id, count: attributes.len() as u32 }, &attributes);
            guest.encoder.push(&SetVertexInput { id, pad: 0 });
            let stride = u32::from(at) + gap;
            let size = if cut { u64::from(stride + formats[0].bytes()) } else { 0 };
            let binding = VertexBuffer { source, stride, offset, size };
            guest.encoder.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[binding]);
            let words = (VERTICES * 4 * u32::from(count)) as usize;
            let buffers = [0; 2].map(|_| guest.words(&vec![FILL; words + 4]));
            let points = Draw {
                topology: Topology::PointList as u32,
                first: 0,
                count: VERTICES,
                instances: 1,
                first_instance: 0,
                pad: 0,
            };
            guest.encoder.push(&SetShaders { vertex: captures, ..SetShaders::default() });
            let bound = [FeedbackBuffer { buffer: buffers[0], pad: 0, offset: 0, size: 0 }];
            guest.encoder.push_tail(&SetFeedbackBuffers { first: 0, count: 1 }, &bound);
            guest.encoder.push(&BeginFeedback::default());
            guest.encoder.push(&points);
            guest.encoder.push(&EndFeedback::default());
            guest.encoder.push(&SetShaders { vertex: stores, ..SetShaders::default() });
            bind_storage(&mut guest, Stage::Vertex, &[buffers[1]]);
            guest.encoder.push(&points);
            let [captured, stored] = buffers.map(|buffer| guest.read_words(buffer, 0, words + 4));
            // Fractions are rounded as the device likes.
            // Of vertices that are not there at all one is drawn.
            let drawn = if cut { words / VERTICES as usize * 3 } else { words };
            let differs = captured[..drawn].iter().zip(&stored).position(|(one, two)| one.abs_diff(*two) > 1);
            let at = differs.map(|at| (at, captured[at], stored[at]));
            assert!(at.is_none(), "{formats:?} from {offset} on, a stride of {stride}, of {size} bytes: {at:x?}");
            assert!(captured[..words].iter().all(|word| *word != FILL) && captured[words..] == [FILL; 4]);
        }
    }
    guest.finish();
}
