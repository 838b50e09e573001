//! What a guest reads back, for whoever looks at it besides: replays, in which no guest is there to take it.

use afterimage_stream::Format;

/// Texels that were read back.
#[derive(Clone, Copy, Debug)]
pub struct ReadTexels<'a> {
    /// The token of the packet.
    pub token: u64,
    /// Their format.
    pub format: Format,
    /// Texels.
    pub width: u32,
    /// Texels.
    pub height: u32,
    /// Rows of blocks from the top, packed, as the guest gets them.
    pub bytes: &'a [u8],
}

/// Receives texels that are read back, in the order of the packets.
pub type ReadSink = Box<dyn FnMut(&ReadTexels<'_>) + Send>;

/// Who looks, if somebody does.
#[derive(Default)]
pub struct Looker(Option<ReadSink>);

impl std::fmt::Debug for Looker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Looker").field(&self.0.is_some()).finish()
    }
}

impl Looker {
    /// From now on this one, or nobody.
    pub fn set(&mut self, sink: Option<ReadSink>) {
        self.0 = sink;
    }

    /// Shows what was read back.
    pub fn show(&mut self, texels: &ReadTexels<'_>) {
        if let Some(sink) = &mut self.0 {
            sink(texels);
        }
    }
}
