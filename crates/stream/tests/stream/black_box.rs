//! What a report about a crash finds of a port. One test alone: the ports of others would take the places there are.

use afterimage_stream::packets::{Init, SetScissor};
use afterimage_stream::*;

#[test]
fn the_last_batches_are_where_the_record_says() {
    assert_eq!(black_box::records().count(), 0);
    let (link, recording) = recorder(DeviceInfo::default());
    let mut port = Port::new(link, Init::D3D9, "test");
    for count in 1..=6 {
        for _ in 0..count {
            port.push(&SetScissor::default());
        }
        port.flush();
    }
    port.push(&SetScissor::default());
    let record = black_box::records().next().unwrap();
    assert_eq!(record.frame, 1);
    let batches = &recording.lock().unwrap().batches;
    for (span, batch) in record.sent.iter().zip(&batches[2..]) {
        assert_eq!((span.address, span.words), (batch.as_ptr().addr(), batch.len()));
        assert_eq!(black_box::finished(batch, span.sequence), 0, "the number is that of the last packet");
    }
    let first = record.sent[3].sequence + 1;
    assert_eq!(record.open.sequence, first);
    assert!(record.open.address != 0 && record.open.words >= 3 * 1024);
    drop(port);
    assert_eq!(black_box::records().count(), 0);
}
