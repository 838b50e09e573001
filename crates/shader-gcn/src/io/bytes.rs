//! A program's [`Source`] as bytes: what a `CreateShader` packet carries.

use super::{BufferSpec, HwStage, ImageSpec, Registers, Source, TableSpec};

/// Why bytes are no [`Source`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SourceError {
    /// It ends too early or goes on too long.
    #[error("the GCN source has {got} bytes where its header asks for {wanted}")]
    Size {
        /// Bytes there are.
        got: usize,
        /// Bytes there should be.
        wanted: usize,
    },
    /// The first word is something else.
    #[error("the bytes are no GCN source: they begin with {0:#010x}")]
    Magic(u32),
    /// The stage's number is none.
    #[error("the GCN source is for hardware stage {0}, which there is not")]
    Stage(u32),
}

/// First word of a [`Source`] in bytes: "GCN2".
const MAGIC: u32 = u32::from_le_bytes(*b"GCN2");
/// Words before the registers: magic, stage, and five counts.
const HEADER: usize = 7;

impl Source {
    /// As a `CreateShader` packet carries it, little-endian words.
    pub fn to_bytes(&self) -> Vec<u8> {
        let counts = [self.code.len(), self.fetch.len(), self.buffers.len(), self.images.len(), self.tables.len()];
        let mut words = vec![MAGIC, self.stage as u32];
        words.extend(counts.map(|count| count as u32));
        words.extend_from_slice(bytemuck::cast_slice(std::slice::from_ref(&self.registers)));
        words.extend_from_slice(&self.code);
        words.extend_from_slice(&self.fetch);
        words.extend_from_slice(bytemuck::cast_slice(&self.buffers));
        words.extend_from_slice(bytemuck::cast_slice(&self.images));
        words.extend_from_slice(bytemuck::cast_slice(&self.tables));
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Reads what [`Source::to_bytes`] wrote.
    ///
    /// # Errors
    /// When the bytes are something else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Source, SourceError> {
        let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let short = SourceError::Size { got: bytes.len(), wanted: HEADER * 4 };
        let &[magic, stage, counts @ ..] = words.first_chunk::<HEADER>().ok_or(short)?;
        if magic != MAGIC {
            return Err(SourceError::Magic(magic));
        }
        let stage = HwStage::ALL.get(stage as usize).copied().ok_or(SourceError::Stage(stage))?;
        let sizes = [
            size_of::<Registers>() / 4,
            counts[0] as usize,
            counts[1] as usize,
            (counts[2] as usize).saturating_mul(size_of::<BufferSpec>() / 4),
            (counts[3] as usize).saturating_mul(size_of::<ImageSpec>() / 4),
            (counts[4] as usize).saturating_mul(size_of::<TableSpec>() / 4),
        ];
        let wanted = sizes.iter().fold(HEADER, |sum, size| sum.saturating_add(*size)).saturating_mul(4);
        if wanted != bytes.len() {
            return Err(SourceError::Size { got: bytes.len(), wanted });
        }
        let mut rest = &words[HEADER..];
        let mut take = |count: usize| {
            let (part, after) = rest.split_at(count);
            rest = after;
            part
        };
        let registers = bytemuck::cast_slice::<u32, Registers>(take(sizes[0]))[0];
        let [code, fetch] = [take(sizes[1]).to_vec(), take(sizes[2]).to_vec()];
        let buffers = bytemuck::cast_slice(take(sizes[3])).to_vec();
        let images = bytemuck::cast_slice(take(sizes[4])).to_vec();
        let tables = bytemuck::cast_slice(take(sizes[5])).to_vec();
        Ok(Source { stage, code, fetch, registers, buffers, images, tables })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_comes_back_from_its_bytes() {
        let source = Source {
            stage: HwStage::Cs,
            code: vec![0xBF81_0000, 7],
            fetch: vec![1],
            registers: Registers { num_thread: [8, 4, 1], ..Registers::default() },
            buffers: vec![BufferSpec { word1: 5, word3: 6 }; 2],
            images: vec![ImageSpec { kind: 9, ..ImageSpec::default() }],
            tables: vec![TableSpec { floats: 1 << 9, ..TableSpec::default() }; 3],
        };
        let bytes = source.to_bytes();
        assert_eq!(Source::from_bytes(&bytes), Ok(source));
        for cut in 0..bytes.len() {
            assert!(Source::from_bytes(&bytes[..cut]).is_err());
        }
    }
}
