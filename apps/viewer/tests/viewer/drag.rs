//! Drops a file on a window, as a file manager does (the XDND protocol, version 5).

use std::path::Path;
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, PropMode,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// Drops the file in the middle of the window.
pub(crate) fn drop_file(display: &str, window: u32, file: &Path) {
    let (connection, screen) = RustConnection::connect(Some(display)).unwrap();
    let root = connection.setup().roots[screen].root;
    let atom = |name: &str| connection.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom;
    let source = connection.generate_id().unwrap();
    let (depth, visual) = (x11rb::COPY_DEPTH_FROM_PARENT, x11rb::COPY_FROM_PARENT);
    let look = CreateWindowAux::new();
    connection.create_window(depth, source, root, 0, 0, 1, 1, 0, WindowClass::INPUT_OUTPUT, visual, &look).unwrap();
    let (selection, list, copy) = (atom("XdndSelection"), atom("text/uri-list"), atom("XdndActionCopy"));
    connection.set_selection_owner(source, selection, x11rb::CURRENT_TIME).unwrap();
    let aware =
        connection.get_property(false, window, atom("XdndAware"), AtomEnum::ANY, 0, 1).unwrap().reply().unwrap();
    assert_eq!(aware.value32().unwrap().next(), Some(5), "the window says that files may be dropped");
    let size = connection.get_geometry(window).unwrap().reply().unwrap();
    let middle = u32::from(size.width / 2) << 16 | u32::from(size.height / 2);
    let say = |what: &str, data: [u32; 5]| {
        let message = ClientMessageEvent::new(32, window, atom(what), data);
        connection.send_event(false, window, EventMask::NO_EVENT, message).unwrap();
        connection.flush().unwrap();
    };
    say("XdndEnter", [source, 5 << 24, list, 0, 0]);
    say("XdndPosition", [source, 0, middle, x11rb::CURRENT_TIME, copy]);
    answer(&connection, atom("XdndStatus"), list, file);
    say("XdndDrop", [source, 0, x11rb::CURRENT_TIME, 0, 0]);
    answer(&connection, atom("XdndFinished"), list, file);
}

/// Tells who asks what is dragged, until this message comes.
fn answer(connection: &RustConnection, until: Atom, list: Atom, file: &Path) {
    let start = Instant::now();
    loop {
        match connection.poll_for_event().unwrap() {
            Some(Event::SelectionRequest(asked)) => {
                let text = format!("file://{}\r\n", file.display());
                connection
                    .change_property8(PropMode::REPLACE, asked.requestor, asked.property, list, text.as_bytes())
                    .unwrap();
                let told = SelectionNotifyEvent {
                    response_type: SELECTION_NOTIFY_EVENT,
                    sequence: 0,
                    time: asked.time,
                    requestor: asked.requestor,
                    selection: asked.selection,
                    target: asked.target,
                    property: asked.property,
                };
                connection.send_event(false, asked.requestor, EventMask::NO_EVENT, told).unwrap();
                connection.flush().unwrap();
            }
            Some(Event::ClientMessage(message)) if message.type_ == until => {
                assert_eq!(message.data.as_data32()[1] & 1, 1, "the window takes the file");
                return;
            }
            _ => std::thread::sleep(Duration::from_millis(2)),
        }
        assert!(start.elapsed() < Duration::from_secs(120), "the window does not answer");
    }
}
