//! Every register with a public name: the one table. Names, decoding for people, field accessors, and what a write makes dirty
//! derive from its rows.
//!
//! A row is `address NAME [count * stride] what { FIELD low width [NAMES], ... }`. Addresses and strides are in bytes. `what` is the
//! groups that read it; or `Drawn` for state that no group reads (it is read anew each time, or not at all), `None` for what is no
//! state of draws and dispatches.

use crate::field::FieldRow;
use std::borrow::Cow;

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Byte address of the first instance.
    pub address: u32,
    /// The hardware's name of the first instance.
    pub name: &'static str,
    /// Instances.
    pub count: u32,
    /// Bytes from one instance to the next.
    pub stride: u32,
    /// What it is to draws and dispatches.
    pub what: What,
    /// Fields; none where the register is one number.
    pub fields: &'static [FieldRow],
}

/// What a register is to draws and dispatches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// Nothing.
    None,
    /// State that no group reads: what needs it reads it anew.
    Drawn,
    /// State, with a bit for each of the groups that read it.
    State(u64),
}

impl Register {
    /// The name of an instance: the first 0 that stands alone becomes its number; names without one get it at the end.
    #[must_use]
    pub fn name_of(&self, instance: u32) -> Cow<'static, str> {
        if self.count == 1 {
            return Cow::Borrowed(self.name);
        }
        let bytes = self.name.as_bytes();
        let alone = |at: &usize| {
            bytes[*at] == b'0' && !bytes.get(at + 1).is_some_and(u8::is_ascii_digit) && !bytes[at - 1].is_ascii_digit()
        };
        Cow::Owned(match (1..bytes.len()).find(alone) {
            Some(at) => format!("{}{instance}{}", &self.name[..at], &self.name[at + 1..]),
            None => format!("{}_{instance}", self.name),
        })
    }
}

/// Declares rows: the module gets `ROWS` and `names`, whose members are addresses and modules of fields.
macro_rules! registers {
    ($(
        $address:literal $name:ident $([$count:literal * $stride:literal])? $($what:ident)+
        { $( $field:ident $low:literal $width:literal $($names:ident)? ),* $(,)? }
    )*) => {
        /// Byte addresses, and fields in a module of the register's name.
        #[allow(missing_docs, non_snake_case, unreachable_pub, reason = "the names are the hardware's, and `reg` exports them")]
        pub mod names {
            $( pub const $name: u32 = $address; )*
            $( pub mod $name {
                $( pub const $field: $crate::Field = $crate::Field { register: $address, low: $low, width: $width }; )*
            } )*
        }

        /// The rows, in the order of their addresses.
        pub(super) const ROWS: &[super::Register] = &[ $( super::Register {
            address: $address,
            name: stringify!($name),
            count: 1 $( + $count - 1 )?,
            stride: 4 $( + $stride - 4 )?,
            what: registers!(@what $($what)+),
            fields: $crate::field_rows!($( $field $low $width $($names)? ),*),
        } ),* ];
    };
    (@what None) => { $crate::rows::What::None };
    (@what Drawn) => { $crate::rows::What::Drawn };
    (@what $($group:ident)+) => { $crate::rows::What::State(0 $(| 1 << $crate::Group::$group as u64)+) };
}

mod config;
mod context;
mod shader;
mod uconfig;

/// Byte addresses by name, and fields in a module of the same name: `reg::DB_DEPTH_CONTROL`, `reg::DB_DEPTH_CONTROL::ZFUNC`.
pub mod reg {
    pub use super::config::names::*;
    pub use super::context::names::*;
    pub use super::shader::names::*;
    pub use super::uconfig::names::*;
}

/// Every row, by space.
pub const ROWS: [&[Register]; 4] = [context::ROWS, shader::ROWS, uconfig::ROWS, config::ROWS];

/// The row of the register at a byte address, and which instance it is.
#[must_use]
pub fn row_of(address: u32) -> Option<(&'static Register, u32)> {
    let row = crate::places::row_of(address.is_multiple_of(4).then_some(address)?)?;
    Some((row, (address - row.address) / row.stride))
}

/// The name of the register at a byte address.
#[must_use]
pub fn name_of(address: u32) -> Option<Cow<'static, str>> {
    row_of(address).map(|(row, instance)| row.name_of(instance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_registers_share_an_address_or_a_name() {
        let (mut addresses, mut names) = (HashSet::new(), HashSet::new());
        for row in ROWS.into_iter().flatten() {
            for instance in 0..row.count {
                assert!(addresses.insert(row.address + instance * row.stride), "{} {instance}", row.name);
                assert!(names.insert(row.name_of(instance)), "{} {instance}", row.name);
            }
            assert!(row.address % 4 == 0 && row.stride % 4 == 0, "{}", row.name);
        }
        assert!(ROWS.iter().all(|rows| rows.is_sorted_by_key(|row| row.address)));
    }

    #[test]
    fn no_two_fields_share_a_bit() {
        for row in ROWS.into_iter().flatten() {
            let mut bits = 0u64;
            for field in row.fields {
                let mask = u64::from(crate::field::mask(field.width)) << field.low;
                assert!(bits & mask == 0 && mask < 1 << 32, "{} {}", row.name, field.name);
                bits |= mask;
            }
        }
    }

    #[test]
    fn instances_have_names() {
        let name = |address| name_of(address).unwrap();
        assert_eq!(name(0x28C60 + 0x3C * 3), "CB_COLOR3_BASE");
        assert_eq!(name(0x28C8C + 0x3C * 7), "CB_COLOR7_CLEAR_WORD0");
        assert_eq!(name(0x28644 + 4 * 31), "SPI_PS_INPUT_CNTL_31");
        assert_eq!(name(0x28780 + 4), "CB_BLEND1_CONTROL");
        assert_eq!(name(0x28254 + 8 * 15), "PA_SC_VPORT_SCISSOR_15_BR");
        assert_eq!(name(0x2843C + 0x18), "PA_CL_VPORT_XSCALE_1");
        assert_eq!(name(0xB130 + 4 * 15), "SPI_SHADER_USER_DATA_VS_15");
        assert_eq!(name(0x28800), "DB_DEPTH_CONTROL");
        assert_eq!(name_of(0x28FFC), None);
    }
}
