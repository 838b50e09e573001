//! A capture that is gone through call by call, for the viewer's panels.

use crate::graphics::Walks;
use crate::protocol::{self, Order, Report};
use afterimage_process::socket::Socket;
use afterimage_stream::ObjectId;
use afterimage_stream::packets::View;
use afterimage_vulkan::Texels;
use std::io;
use std::ops::Range;
use std::time::Duration;

/// Times in one message.
const TIMES: usize = 1000;

/// Answers orders until the viewer is gone.
pub(super) fn run(socket: &Socket, mut stepper: Box<dyn Walks>) -> io::Result<()> {
    protocol::send(socket, &Report::Ready, None)?;
    while let Some((order, _)) = protocol::receive::<Order>(socket)? {
        let done = match order {
            Order::Pictures { call, views } => pictures(socket, &mut *stepper, call, views)?,
            Order::Times(calls) => times(socket, &mut *stepper, calls)?,
            other => Err(format!("an order that is not for a renderer of a capture: {other:?}")),
        };
        if let Err(said) = done {
            protocol::send(socket, &Report::Said(said), None)?;
        }
    }
    Ok(())
}

/// Sends the pictures behind a call. The outer error is the socket's.
fn pictures(
    socket: &Socket,
    stepper: &mut dyn Walks,
    call: u64,
    mut views: Vec<(protocol::View, bool, String)>,
) -> io::Result<Result<(), String>> {
    if let Err(error) = stepper.run_to(call) {
        return Ok(Err(error));
    }
    // What is presented, and what else is not written by the call itself.
    if let Some(view) = stepper.shown().filter(|_| !views.iter().any(|(_, written, _)| *written)) {
        views.push(((view.texture.0, view.level, view.layer), true, view.texture.to_string()));
    }
    for ((texture, level, layer), written, name) in views {
        let view = View { texture: ObjectId(texture), level, layer };
        let look = match stepper.picture(view) {
            Ok(Some(look)) => look,
            Ok(None) => continue,
            Err(error) => return Ok(Err(error)),
        };
        let (view, size) = ((texture, level, layer), [look.width, look.height]);
        protocol::send_bytes(socket, &Report::Picture { view, written, name, size }, &opaque(&look))?;
    }
    protocol::send(socket, &Report::Pictures(call), None).map(Ok)
}

/// Alpha is data: it would only hide what is there.
fn opaque(look: &Texels) -> Vec<u8> {
    look.rgba().chunks_exact(4).flat_map(|p| [p[0], p[1], p[2], 255]).collect()
}

fn times(socket: &Socket, stepper: &mut dyn Walks, calls: Range<u64>) -> io::Result<Result<(), String>> {
    let times = match stepper.times(calls) {
        Ok(times) => times,
        Err(error) => return Ok(Err(error)),
    };
    let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    for some in times.chunks(TIMES) {
        let list = some.iter().map(|&(call, time)| (call, time.map(nanos))).collect();
        protocol::send(socket, &Report::Times { list, last: false }, None)?;
    }
    protocol::send(socket, &Report::Times { list: Vec::new(), last: true }, None).map(Ok)
}
