//! What a report about a crash finds of a port. One test alone: the ports of others would take the places there are.

use afterimage_stream::packets::{Init, SetScissor};
use afterimage_stream::*;
use std::sync::{Arc, Mutex};

/// A receiver that keeps the batches where they are.
#[derive(Clone, Default)]
struct Keep(Arc<Mutex<Vec<Vec<u64>>>>, DeviceInfo);

impl Link for Keep {
    fn submit(&mut self, batch: &mut Vec<u64>) -> Result<(), LinkError> {
        self.0.lock().unwrap().push(std::mem::take(batch));
        Ok(())
    }

    fn is_idle(&self) -> bool {
        false
    }

    fn alloc(&mut self, _: u32, _: u32) -> Result<UploadRef, LinkError> {
        Err(LinkError::Lost)
    }

    fn write(&mut self, _: &UploadRef, _: u32, _: &[u8]) {}

    fn read(&mut self, _: &UploadRef, _: u32, _: &mut [u8]) {}

    fn end_frame(&mut self, _: u64) -> Result<(), LinkError> {
        Ok(())
    }

    fn poll(&mut self) -> Option<Reply> {
        None
    }

    fn wait(&mut self) -> Result<Reply, LinkError> {
        Err(LinkError::Lost)
    }

    fn epoch(&mut self) -> u32 {
        1
    }

    fn device(&self) -> &DeviceInfo {
        &self.1
    }
}

#[test]
fn the_last_batches_are_where_the_record_says() {
    assert_eq!(black_box::records().count(), 0);
    let link = Keep::default();
    let mut port = Port::new(Box::new(link.clone()), Init::D3D9, "test");
    for count in 1..=6 {
        for _ in 0..count {
            port.push(&SetScissor::default());
        }
        port.flush();
    }
    port.push(&SetScissor::default());
    let record = black_box::records().next().unwrap();
    assert_eq!(record.frame, 1);
    let batches = link.0.lock().unwrap();
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
