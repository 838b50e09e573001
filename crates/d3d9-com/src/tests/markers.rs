//! Marks that programs make with functions of their own, which name no device.

use super::*;
use crate::exports::*;
use crate::names::Wide;
use afterimage_stream::packets::Marker;

/// A string as the platform's compilers make them.
pub(super) fn wide(text: &str) -> Vec<Wide> {
    #[cfg(windows)]
    let units = text.encode_utf16();
    #[cfg(not(windows))]
    let units = text.chars().map(u32::from);
    units.chain([0]).collect()
}

fn begin(color: u32, name: &str) -> i32 {
    // SAFETY: a string.
    unsafe { D3DPERF_BeginEvent(color, wide(name).as_ptr().cast()) }
}

/// Waits until the receiver has got everything: an event query waits for all before it.
pub(super) fn wait(device: *mut IDirect3DDevice9Ex) {
    let mut query = junk();
    assert_eq!(call!(device, base.CreateQuery(D3DQUERYTYPE_EVENT, returned(&mut query))), D3D_OK);
    assert_eq!(call!(query, Issue(D3DISSUE_END)), D3D_OK);
    let mut signalled = 0u32;
    // SAFETY: good for four bytes.
    let mut data = || unsafe { Out::new((&raw mut signalled).cast()) };
    while call!(query, GetData(data(), 4, D3DGETDATA_FLUSH)) == S_FALSE {}
    assert_eq!(release(query), 0);
}

// One test, since all of it is the process's.
#[test]
fn marks_reach_the_devices_of_the_thread_while_somebody_sees_them() {
    let unwatched = device(false, 0);
    assert_eq!(D3DPERF_GetStatus(), 0, "nobody sees them");
    assert_eq!((begin(0, "unseen"), begin(0, "deeper"), D3DPERF_EndEvent(), D3DPERF_EndEvent()), (0, 1, 1, 0));
    assert_eq!(D3DPERF_EndEvent(), -1, "none is open");
    wait(unwatched);
    let expected = [(Marker::BEGIN, "unseen"), (Marker::BEGIN, "deeper"), (Marker::END, ""), (Marker::END, "")];
    let marks = core::mem::take(&mut *receiver::marks());
    let marks: Vec<_> = marks.iter().map(|(action, _, text)| (*action, text.as_str())).collect();
    assert_eq!(marks, expected, "a capture may begin at any time");
    assert_eq!(release(unwatched), 0);

    let watched = || {
        let d3d = crate::direct3d::create(D3D_SDK_VERSION, false, receiver::open_watched).expect("always there");
        device_of(d3d, 0)
    };
    let device = watched();
    // Another thread's device gets its own thread's marks, and those of threads that have no device.
    let (made, is_made) = std::sync::mpsc::channel();
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    let other = std::thread::spawn(move || {
        let device = watched();
        made.send(()).expect("the test waits");
        is_done.recv().expect("the test tells");
        finish(device);
    });
    is_made.recv().expect("the device is made");
    assert_ne!(D3DPERF_GetStatus(), 0);
    assert_eq!(begin(0xffff_0000, "Schatten \u{1f311}"), 0);
    // SAFETY: a string, and null.
    unsafe {
        D3DPERF_SetMarker(0x0000_ff00, wide(&"x".repeat(1000)).as_ptr().cast());
        D3DPERF_SetRegion(1, core::ptr::null());
    }
    assert_eq!(D3DPERF_EndEvent(), 0);
    D3DPERF_SetOptions(1);
    assert_eq!(D3DPERF_GetStatus(), 0, "the program does not want to be watched");
    assert_eq!((begin(0, "hidden"), D3DPERF_EndEvent()), (0, 0));
    D3DPERF_SetOptions(0);
    wait(device);
    let expected = [
        (Marker::BEGIN, 0xffff_0000, "Schatten \u{1f311}".to_owned()),
        (Marker::MARK, 0x0000_ff00, "x".repeat(256)),
        (Marker::MARK, 1, String::new()),
        (Marker::END, 0, String::new()),
    ];
    assert_eq!(core::mem::take(&mut *receiver::marks()), expected, "each once");
    finish(device);
    assert_ne!(D3DPERF_GetStatus(), 0, "the other device is left");
    done.send(()).expect("the thread waits");
    other.join().expect("no panic");
    assert_eq!(D3DPERF_GetStatus(), 0);
}
