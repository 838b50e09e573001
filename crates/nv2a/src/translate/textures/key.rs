//! What a texture stage's registers say that its texture is.

use super::from_memory::host_format;
use crate::machine::Kelvin;
use crate::memory::DmaObject;
use afterimage_nv2a_types::{Registers, method};
use afterimage_stream::Format;
use afterimage_texture::nv2a::{ColorKey, Decode, HostFormat, KeyMode, Layout, Signs, Texture};

/// A texture: where it lies, and all that its texels depend on besides memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::translate) struct Key {
    /// Physical address.
    pub(super) address: u32,
    /// Bytes that may be read from there.
    pub(super) room: u32,
    /// `SET_TEXTURE_FORMAT` without its DMA object, `SET_TEXTURE_CONTROL1` and `SET_TEXTURE_IMAGE_RECT`; zero where they do
    /// not matter.
    words: [u32; 3],
    /// Signed components: the upper four bits of `SET_TEXTURE_FILTER`.
    signs: u8,
    /// Mode and colour of a key that changes texels.
    color_key: Option<(KeyMode, u32)>,
    /// Physical address and entries of the palette.
    pub(super) palette: Option<(u32, u32)>,
    /// Whether Y'CbCr becomes RGB.
    pub(super) convert: bool,
}

/// Why there is no texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Error {
    #[error("{0} is not bound")]
    Unbound(&'static str),
    #[error("{0} is beyond its DMA object")]
    Beyond(&'static str),
    #[error(transparent)]
    Texture(#[from] afterimage_texture::Error),
}

/// Whether a stage in this mode (`SET_SHADER_STAGE_PROGRAM`) looks up its texture: all but none, pass through, clip plane, dot
/// product and dot ZW do.
fn looks_up(mode: u32) -> bool {
    !matches!(mode, 0 | 4 | 5 | 0x0A | 0x11)
}

impl Key {
    /// The texture of a stage (0 to 3), if it looks one up.
    pub(super) fn of(kelvin: &Kelvin, stage: u16) -> Result<Option<Self>, Error> {
        let registers = &kelvin.registers;
        let get = |method: u16| registers.get(method + 0x40 * stage);
        let control0 = get(method::SET_TEXTURE_CONTROL0);
        let mode = registers.get(method::SET_SHADER_STAGE_PROGRAM) >> (5 * stage) & 31;
        if control0 >> 30 & 1 == 0 || !looks_up(mode) {
            return Ok(None);
        }
        let format = get(method::SET_TEXTURE_FORMAT);
        let words = [format & !3, get(method::SET_TEXTURE_CONTROL1), get(method::SET_TEXTURE_IMAGE_RECT)];
        let texture = Texture::from_registers(words[0], words[1], words[2])?;
        if texture.size().contains(&0) {
            return Ok(None);
        }
        let info = texture.format().info();
        let words = if info.layout == Layout::Linear { words } else { [words[0], 0, 0] };
        let object = object(kelvin, format & 3 == 2)?;
        let offset = get(method::SET_TEXTURE_OFFSET);
        let address = object.resolve(offset, 1).ok_or(Error::Beyond("SET_TEXTURE_OFFSET"))?;
        let mode = KeyMode::from_control0(control0);
        let color = registers.get(method::SET_COLOR_KEY_COLOR + 4 * stage);
        Ok(Some(Self {
            address,
            room: (object.limit - offset).saturating_add(1),
            words,
            signs: (get(method::SET_TEXTURE_FILTER) >> 28) as u8,
            color_key: matches!(mode, KeyMode::Alpha | KeyMode::Color).then_some((mode, color)),
            palette: match info.decode {
                Decode::Palette => Some(palette(kelvin, get(method::SET_TEXTURE_PALETTE))?),
                _ => None,
            },
            convert: matches!(info.decode, Decode::YCbCr(_)) && converts(registers),
        }))
    }

    /// The texture. Keys are made of good ones only.
    pub(super) fn texture(&self) -> Result<Texture, afterimage_texture::Error> {
        Texture::from_registers(self.words[0], self.words[1], self.words[2])
    }

    /// The host's format of its texels.
    pub(in crate::translate) fn host_format(&self) -> Option<Format> {
        Some(host_format(HostFormat::of(self.texture().ok()?.format(), self.signs())))
    }

    /// Whether it brings its own border.
    pub(in crate::translate) fn has_stored_border(&self) -> bool {
        self.texture().is_ok_and(|texture| texture.has_stored_border())
    }

    /// Its signed components.
    pub(in crate::translate) fn signs(&self) -> Signs {
        Signs::from_filter(u32::from(self.signs) << 28)
    }

    /// Whether texels can equal a colour key: those with plain components, and indices unless they throw pixels away.
    pub(super) fn takes(&self, mode: KeyMode) -> bool {
        let decode = self.texture().map(|texture| texture.format().info().decode);
        match (mode, decode) {
            (KeyMode::Off, _) | (_, Ok(Decode::Color(_))) => true,
            (KeyMode::Alpha | KeyMode::Color, Ok(decode)) => decode == Decode::Palette,
            (KeyMode::Kill, _) | (_, Err(_)) => false,
        }
    }

    /// The colour key that changes texels.
    pub(super) fn color_key(&self) -> Option<ColorKey> {
        self.color_key.map(|(mode, key)| ColorKey { key, mode })
    }
}

/// DMA object A or B.
fn object(kelvin: &Kelvin, b: bool) -> Result<DmaObject, Error> {
    let name = if b { "SET_CONTEXT_DMA_B" } else { "SET_CONTEXT_DMA_A" };
    kelvin.texture_object(b).ok_or(Error::Unbound(name))
}

/// Physical address and entries of the palette that `SET_TEXTURE_PALETTE` names.
fn palette(kelvin: &Kelvin, word: u32) -> Result<(u32, u32), Error> {
    let entries = 256 >> (word >> 2 & 3);
    let address = object(kelvin, word & 1 != 0)?.resolve(word & !63, 4 * entries);
    Ok((address.ok_or(Error::Beyond("SET_TEXTURE_PALETTE"))?, entries))
}

/// Whether `SET_CONTROL0` asks for RGB.
fn converts(registers: &Registers) -> bool {
    registers.get(method::SET_CONTROL0) >> 28 == 1
}
