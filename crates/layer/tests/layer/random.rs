//! Random sequences of legal commands, natively and with the layer, in one process: the bytes captured, counters, answers of queries and
//! pictures are the same.

use crate::client::{Buffer, Client, Shared, Wish};
use crate::more::{CAPTURE, How, QUERIES, Rig};
use crate::parts::{NUMBERS, PAINT, Target, bytes, untouched, wait_for_all};
use ash::vk::{self, BufferUsageFlags as Usage, PrimitiveTopology as Topology};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::sync::Arc;

const SIDE: u32 = 16;
const INDICES: [u16; 12] = [4, 2, 9, 1, 1, 3, 8, 0, 7, 5, 6, 10];

/// A draw, or something between draws.
#[derive(Clone, Debug)]
enum Kind {
    Plain {
        count: u32,
        instances: u32,
        first: u32,
        first_instance: u32,
    },
    Indexed {
        count: u32,
        instances: u32,
        first: u32,
        offset: i32,
    },
    /// Of the arguments at a place; their number out of a buffer, where the sequence has it so.
    Indirect {
        at: u32,
        count_at: u32,
        most: u32,
    },
    /// First vertices and counts.
    Multi {
        draws: [(u32, u32); 3],
        instances: u32,
    },
    Push {
        block: u32,
        template: bool,
    },
}

/// Draws between the begin and the end of feedback; each may be on a condition, which holds or does not.
#[derive(Clone, Debug)]
struct Feedback {
    resumes: bool,
    queried: bool,
    draws: Vec<(Option<bool>, Kind)>,
}

/// A rendering, with what is bound before.
#[derive(Clone, Debug)]
struct Rendering {
    to: usize,
    /// Words that may be captured.
    room: u32,
    pipeline: usize,
    push: (u32, bool),
    /// A query around it.
    queried: bool,
    /// It begins with a draw of what was captured.
    byte_count: bool,
    feedback: Option<Feedback>,
}

/// A command buffer.
#[derive(Clone, Debug)]
struct Sequence {
    /// Indirect draws have their number in a buffer. (Lavapipe takes the last such number for that of all indirect draws behind it, as the layer's
    /// are that draw what was captured.)
    counted: bool,
    renderings: Vec<Rendering>,
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![
        (0..9u32, 0..3u32, 0..9u32, 0..3u32).prop_map(|(count, instances, first, first_instance)| Kind::Plain {
            count,
            instances,
            first,
            first_instance
        }),
        (0..9u32, 0..3u32, 0..4u32, 0..3i32).prop_map(|(count, instances, first, offset)| Kind::Indexed {
            count,
            instances,
            first,
            offset
        }),
        (0..4u32, 0..5u32, 0..5u32).prop_map(|(at, count_at, most)| Kind::Indirect { at, count_at, most }),
        // (Where the first is of no vertices, lavapipe draws none of them.)
        ([(0..9u32, 1..8u32), (0..9u32, 0..7u32), (0..9u32, 0..7u32)], 0..2u32)
            .prop_map(|(draws, instances)| Kind::Multi { draws, instances }),
        (0..2u32, any::<bool>()).prop_map(|(block, template)| Kind::Push { block, template }),
    ]
}

fn sequences() -> impl Strategy<Value = Sequence> {
    let feedback =
        (any::<bool>(), prop::bool::weighted(0.3), vec((proptest::option::of(any::<bool>()), kinds()), 0..5))
            .prop_map(|(resumes, queried, draws)| Feedback { resumes, queried, draws });
    let rendering = (
        0..2usize,
        1..=200u32,
        0..PIPELINES.len(),
        (0..2u32, any::<bool>()),
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.3),
        proptest::option::weighted(0.7, feedback),
    )
        .prop_map(|(to, room, pipeline, push, queried, byte_count, feedback)| Rendering {
            to,
            room,
            pipeline,
            push,
            queried,
            byte_count,
            feedback,
        });
    (any::<bool>(), vec(rendering, 1..5)).prop_map(|(counted, renderings)| Sequence { counted, renderings })
}

const PIPELINES: [(Topology, How); 5] = [
    (Topology::POINT_LIST, How::Whole),
    (Topology::LINE_STRIP, How::Linked),
    (Topology::TRIANGLE_LIST, How::Dynamic),
    (Topology::TRIANGLE_FAN, How::Inline),
    (Topology::TRIANGLE_STRIP, How::Dynamic),
];

/// A client, and what all of its sequences share.
struct Player<'a> {
    rig: Rig<'a>,
    /// Each behind the libraries that it was made of.
    pipelines: Vec<Vec<vk::Pipeline>>,
    image: (vk::Image, vk::DeviceMemory, vk::ImageView),
    indices: Buffer,
    arguments: Buffer,
    counts: Buffer,
    predicates: Buffer,
}

/// What a sequence writes.
struct Written {
    captures: [Buffer; 2],
    counter: Buffer,
    picture: Buffer,
}

impl<'a> Player<'a> {
    fn new(client: &'a Client) -> Self {
        let rig = Rig::new(client);
        let target = Target::Picture(SIDE, rig.modules[PAINT]);
        let pipelines =
            PIPELINES.iter().map(|&(topology, how)| rig.pipeline(&[NUMBERS], topology, how, target)).collect();
        let indices: Vec<u8> = INDICES.iter().flat_map(|index| index.to_le_bytes()).collect();
        Self {
            rig,
            pipelines,
            image: client.image(SIDE),
            indices: client.buffer(Usage::INDEX_BUFFER, &indices),
            arguments: client.buffer(Usage::INDIRECT_BUFFER, &bytes((0..4).flat_map(|n| [n + 2, n % 3, n, n * 2]))),
            counts: client.buffer(Usage::INDIRECT_BUFFER, &bytes(0..5)),
            predicates: client.buffer(Usage::CONDITIONAL_RENDERING_EXT, &bytes([0, 1])),
        }
    }

    fn destroy(self) {
        let client = self.rig.client;
        let d = &client.device;
        // SAFETY: as in the client; the device is idle.
        unsafe {
            self.pipelines.iter().flatten().for_each(|pipeline| d.destroy_pipeline(*pipeline, None));
            d.destroy_image_view(self.image.2, None);
            d.destroy_image(self.image.0, None);
            d.free_memory(self.image.1, None);
        }
        [self.indices, self.arguments, self.counts, self.predicates].into_iter().for_each(|b| client.destroy(b));
        self.rig.destroy();
    }

    /// Plays a sequence: what it leaves.
    fn play(&self, sequence: &Sequence) -> Vec<u8> {
        let client = self.rig.client;
        let capture = || client.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, &untouched(CAPTURE));
        let usage = Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT | Usage::INDIRECT_BUFFER;
        let written = Written {
            captures: [capture(), capture()],
            counter: client.buffer(usage, &bytes([0, 0])),
            picture: client.buffer(Usage::TRANSFER_DST, &vec![0; (4 * SIDE * SIDE) as usize]),
        };
        client.submit(1, |c| self.record(c, sequence, &written));
        let Written { captures: [first, second], counter, picture } = written;
        let all = [first, second, counter, picture];
        let mut left: Vec<u8> = all.iter().flat_map(Buffer::bytes).collect();
        left.extend(self.rig.answers());
        all.into_iter().for_each(|buffer| client.destroy(buffer));
        left
    }

    fn record(&self, c: vk::CommandBuffer, sequence: &Sequence, written: &Written) {
        let (rig, d, f) = (&self.rig, &self.rig.client.device, &self.rig.client.feedback);
        let none = vk::QueryControlFlags::empty();
        let (mut captured, mut queries) = ([false; 2], 0);
        // SAFETY: as in the client.
        unsafe {
            d.cmd_reset_query_pool(c, rig.pool, 0, QUERIES);
            self.lay_out(c, vk::ImageLayout::UNDEFINED, vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL);
            let bindings = [vk::VertexInputBindingDescription2EXT::default().stride(8).divisor(1)];
            let attributes = [vk::VertexInputAttributeDescription2EXT::default().format(vk::Format::R32G32_UINT)];
            for (n, rendering) in sequence.renderings.iter().enumerate() {
                let to = rendering.to;
                let pipeline = self.pipelines[rendering.pipeline][self.pipelines[rendering.pipeline].len() - 1];
                (rig.client.input().cmd_set_vertex_input_ext)(c, 1, bindings.as_ptr(), 1, attributes.as_ptr());
                rig.bind(c, pipeline, &[&written.captures[to]], 4 * u64::from(rendering.room));
                d.cmd_bind_index_buffer(c, self.indices.handle, 0, vk::IndexType::UINT16);
                rig.push(c, 256 * u64::from(rendering.push.0), rendering.push.1);
                let around = queries < QUERIES && rendering.queried;
                if around {
                    (f.cmd_begin_query_indexed_ext)(c, rig.pool, queries, none, 0);
                }
                self.begin(c, n == 0);
                // A draw of what was captured, of which nothing is.
                if captured[to] && rendering.byte_count && !sequence.counted {
                    let at = 4 * to as u64;
                    (f.cmd_draw_indirect_byte_count_ext)(c, 1, 0, written.counter.handle, at, 0, 16);
                }
                if let Some(feedback) = &rendering.feedback {
                    let (at, counter) = ([4 * to as u64], &raw const written.counter.handle);
                    let known = u32::from(captured[to] && feedback.resumes);
                    (f.cmd_begin_transform_feedback_ext)(c, 0, known, counter, at.as_ptr());
                    let inside = !around && queries < QUERIES && feedback.queried;
                    if inside {
                        (f.cmd_begin_query_indexed_ext)(c, rig.pool, queries, none, 0);
                    }
                    feedback.draws.iter().for_each(|draw| self.draw(c, sequence.counted, draw));
                    if inside {
                        (f.cmd_end_query_indexed_ext)(c, rig.pool, queries, 0);
                        queries += 1;
                    }
                    (f.cmd_end_transform_feedback_ext)(c, 0, 1, counter, at.as_ptr());
                    captured[to] = true;
                }
                d.cmd_end_rendering(c);
                if around {
                    (f.cmd_end_query_indexed_ext)(c, rig.pool, queries, 0);
                    queries += 1;
                }
                rig.wait(c);
                let colours = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
                self.lay_out(c, colours, colours);
            }
            for query in queries..QUERIES {
                (f.cmd_begin_query_indexed_ext)(c, rig.pool, query, none, 0);
                (f.cmd_end_query_indexed_ext)(c, rig.pool, query, 0);
            }
            let source = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
            self.lay_out(c, vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL, source);
            let layers = vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
            let copy = [vk::BufferImageCopy::default().image_subresource(layers).image_extent(vk::Extent3D {
                width: SIDE,
                height: SIDE,
                depth: 1,
            })];
            d.cmd_copy_image_to_buffer(c, self.image.0, source, written.picture.handle, &copy);
            wait_for_all(d, c);
        }
    }

    /// Begins a rendering to the picture, which the first clears.
    unsafe fn begin(&self, c: vk::CommandBuffer, clears: bool) {
        let colour = [vk::RenderingAttachmentInfo::default()
            .image_view(self.image.2)
            .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
            .load_op(if clears { vk::AttachmentLoadOp::CLEAR } else { vk::AttachmentLoadOp::LOAD })
            .store_op(vk::AttachmentStoreOp::STORE)];
        let area = vk::Rect2D { extent: vk::Extent2D { width: SIDE, height: SIDE }, ..Default::default() };
        let info = vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&colour);
        // SAFETY: as above.
        unsafe { self.rig.client.device.cmd_begin_rendering(c, &info) };
    }

    /// The picture is in a layout, behind everything that was painted.
    unsafe fn lay_out(&self, c: vk::CommandBuffer, from: vk::ImageLayout, to: vk::ImageLayout) {
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        let range =
            vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR).level_count(1).layer_count(1);
        let paints = Access::COLOR_ATTACHMENT_READ | Access::COLOR_ATTACHMENT_WRITE;
        let barrier = [vk::ImageMemoryBarrier::default()
            .src_access_mask(paints)
            .dst_access_mask(paints | Access::TRANSFER_READ)
            .old_layout(from)
            .new_layout(to)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(self.image.0)
            .subresource_range(range)];
        let output = Stage::COLOR_ATTACHMENT_OUTPUT;
        let after = output | Stage::TRANSFER;
        let none = vk::DependencyFlags::empty();
        // SAFETY: as above.
        unsafe { self.rig.client.device.cmd_pipeline_barrier(c, output, after, none, &[], &[], &barrier) };
    }

    unsafe fn draw(&self, c: vk::CommandBuffer, counted: bool, (condition, kind): &(Option<bool>, Kind)) {
        let (client, d) = (self.rig.client, &self.rig.client.device);
        // SAFETY: as above.
        unsafe {
            if let Some(holds) = *condition {
                let info = vk::ConditionalRenderingBeginInfoEXT::default()
                    .buffer(self.predicates.handle)
                    .offset(4 * u64::from(holds));
                (client.condition().cmd_begin_conditional_rendering_ext)(c, &info);
            }
            match *kind {
                Kind::Plain { count, instances, first, first_instance } => {
                    d.cmd_draw(c, count, instances, first, first_instance);
                }
                Kind::Indexed { count, instances, first, offset } => {
                    d.cmd_draw_indexed(c, count, instances, first, offset, 0);
                }
                Kind::Indirect { count_at, most, .. } if counted => {
                    let (arguments, counts) = (self.arguments.handle, self.counts.handle);
                    d.cmd_draw_indirect_count(c, arguments, 0, counts, 4 * u64::from(count_at), most, 16);
                }
                Kind::Indirect { at, .. } => d.cmd_draw_indirect(c, self.arguments.handle, 16 * u64::from(at), 1, 16),
                Kind::Multi { draws, instances } => {
                    let draws =
                        draws.map(|(first_vertex, vertex_count)| vk::MultiDrawInfoEXT { first_vertex, vertex_count });
                    (client.multi().cmd_draw_multi_ext)(c, 3, draws.as_ptr(), 1, instances, 8);
                }
                Kind::Push { block, template } => self.rig.push(c, 256 * u64::from(block), template),
            }
            if condition.is_some() {
                (client.condition().cmd_end_conditional_rendering_ext)(c);
            }
        }
    }
}

/// Plays random sequences natively, and with the layers that the process is told of: how many.
pub(crate) fn random() -> Vec<u8> {
    // `AFTERIMAGE_LAYER_TEST_SEQUENCES=N` for more than are soon done.
    let wished = std::env::var("AFTERIMAGE_LAYER_TEST_SEQUENCES").ok().and_then(|number| number.parse().ok());
    let cases = wished.unwrap_or(96);
    let native = Client::on(&Arc::new(Shared::with("")), Wish::Feedback);
    let layered = Client::new();
    assert_eq!((native.report(), layered.report()), ("the driver's".to_owned(), "the layer's".to_owned()));
    let players = [&native, &layered].map(Player::new);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let result = TestRunner::new(config).run(&sequences(), |sequence| {
        let [native, layered] = [0, 1].map(|n: usize| players[n].play(&sequence));
        let differs = native.iter().zip(&layered).position(|(a, b)| a != b);
        prop_assert_eq!((native.len(), differs), (layered.len(), None), "the first byte that differs");
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.err().map_or_else(String::new, |error| error.to_string()));
    players.into_iter().for_each(Player::destroy);
    native.finish();
    layered.finish();
    format!("{cases} sequences").into_bytes()
}
