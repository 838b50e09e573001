//! Names that programs give: strings of marks, and of resources, which have them as private data under identifiers that graphics
//! debuggers look for.

use core::ffi::c_void;

use afterimage_d3d9_types::GUID;

use crate::abi::In;

/// Characters of a name that are read.
pub(crate) const LONGEST: usize = 256;

/// `WKPDID_D3DDebugObjectName`: bytes.
const NARROW: GUID =
    GUID { Data1: 0x429b_8c22, Data2: 0x9188, Data3: 0x4b0c, Data4: [0x87, 0x42, 0xac, 0xb0, 0xbf, 0x85, 0xc2, 0x00] };
/// `WKPDID_D3DDebugObjectNameW`: wide.
const WIDE: GUID =
    GUID { Data1: 0x4cca_5fd8, Data2: 0x921f, Data3: 0x42c8, Data4: [0x85, 0x66, 0x70, 0xca, 0xf2, 0xa9, 0xb7, 0x41] };

/// Whether private data under this identifier is the resource's name.
pub(crate) fn is_name(data: In<GUID>) -> bool {
    data.read().is_some_and(|guid| guid == NARROW || guid == WIDE)
}

/// The name that private data of so many bytes is; none where it is empty.
pub(crate) fn text(identifier: In<GUID>, data: In<c_void>, size: u32) -> Option<String> {
    let size = size as usize;
    let text = if identifier.read()? == WIDE {
        // SAFETY: no more is read than the program says that there is.
        let units = unsafe { In::new(data.as_ptr().cast()) };
        wide(units, LONGEST.min(size / size_of::<Wide>()))
    } else {
        let bytes = data.bytes(size)?;
        let bytes = &bytes[..bytes.iter().position(|byte| *byte == 0).unwrap_or(size)];
        String::from_utf8_lossy(bytes).chars().take(LONGEST).collect()
    };
    (!text.is_empty()).then_some(text)
}

/// A unit of a wide string: the compiler's `wchar_t`, which has 16 bits on Windows and 32 elsewhere.
#[cfg(windows)]
pub(crate) type Wide = u16;
/// A unit of a wide string: the compiler's `wchar_t`, which has 16 bits on Windows and 32 elsewhere.
#[cfg(not(windows))]
pub(crate) type Wide = u32;

/// The text of a string up to its zero, or its first `most` units.
pub(crate) fn wide(name: In<u16>, most: usize) -> String {
    // SAFETY: a string of the program's is one of its compiler's units.
    let name = unsafe { In::<Wide>::new(name.as_ptr().cast()) };
    // SAFETY: the iterator ends at the string's end.
    let units = (0..most).map_while(|index| unsafe { name.read_at(index) }).take_while(|unit| *unit != 0);
    #[cfg(windows)]
    let text = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    #[cfg(not(windows))]
    let text = units.map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    text
}
