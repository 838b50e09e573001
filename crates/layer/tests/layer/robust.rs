//! Attributes that lie outside of what is bound, and of buffers that are not there.

use crate::client::{Buffer, Client};
use crate::more::{CAPTURE, How, Rig};
use crate::parts::{NUMBERS, Target, rendering, untouched};
use ash::vk::{self, BufferUsageFlags as Usage};

/// Captures them: what is captured.
pub(crate) fn run(client: &Client) -> Vec<u8> {
    let (rig, d, f) = (Rig::new(client), &client.device, &client.feedback);
    let pipeline = rig.pipeline(&[NUMBERS], vk::PrimitiveTopology::POINT_LIST, How::Whole, Target::Nothing)[0];
    let captures = [0; 3].map(|_| client.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, &untouched(CAPTURE)));
    // The third vertex is cut, the last is behind the buffer's end, and all of them are.
    let bound = [(rig.vertices.handle, 20), (rig.vertices.handle, 320), (vk::Buffer::null(), 0)];
    client.submit(1, |c| {
        for ((buffer, size), capture) in bound.iter().zip(&captures) {
            rig.bind(c, pipeline, &[capture], CAPTURE as u64);
            rig.push(c, 0, false);
            // SAFETY: as in the client, and the device is robust.
            unsafe {
                d.cmd_bind_vertex_buffers2(c, 0, &[*buffer], &[0], Some(&[*size]), None);
                rendering(d, c, || {
                    (f.cmd_begin_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
                    d.cmd_draw(c, 5, 1, 0, 0);
                    d.cmd_draw(c, 5, 1, 38, 0);
                    (f.cmd_end_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
                });
            }
        }
        rig.wait(c);
    });
    let left = captures.iter().flat_map(Buffer::bytes).collect();
    // SAFETY: as in the client; the device is idle.
    unsafe { d.destroy_pipeline(pipeline, None) };
    captures.into_iter().for_each(|capture| client.destroy(capture));
    rig.destroy();
    left
}
