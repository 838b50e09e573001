//! Every packet of a batch in the log, by name and fields: for option `trace_packets`.

use crate::{Reader, describe};

/// Where the lines come from, for the log's filter.
pub const TARGET: &str = "packets";

/// Logs the packets of a batch, in their order, up to the first that cannot be read.
pub fn trace(batch: &[u64]) {
    for located in Reader::new(batch) {
        match located {
            Ok(located) => {
                let fields: Vec<String> = describe::fields(&located.packet).iter().map(ToString::to_string).collect();
                let (sequence, name) = (located.header.sequence, located.packet.kind().name());
                tracing::debug!(target: TARGET, "{sequence} {name} {}", fields.join(", "));
            }
            Err(error) => {
                tracing::debug!(target: TARGET, "no packet: {error}");
                return;
            }
        }
    }
}
