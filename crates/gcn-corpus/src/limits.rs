//! What a module asks of a device that has no more than so much.

use std::collections::HashMap;

/// `Workgroup` as a storage class.
const WORKGROUP: u32 = 4;

#[derive(Clone, Copy)]
enum Size {
    /// Bytes.
    Of(u64),
    /// A pointer's class, and what it points to.
    Pointer(u32, u32),
}

/// Bytes of a work group's memory that a module's variables take, without room between them.
pub fn shared_bytes(spirv: &[u32]) -> u64 {
    let (mut sizes, mut constants) = (HashMap::<u32, Size>::new(), HashMap::<u32, u32>::new());
    let (mut at, mut all) = (5, 0u64);
    while let Some(&word) = spirv.get(at) {
        let end = at + (word >> 16).max(1) as usize;
        let Some(body) = spirv.get(at + 1..end) else { break };
        at = end;
        let size = |id: &u32| match sizes.get(id) {
            Some(&Size::Of(bytes)) => bytes,
            Some(Size::Pointer(..)) => 8,
            None => 4,
        };
        let (id, new) = match (word & 0xFFFF, body) {
            // Truth values, and numbers of so many bits.
            (20, [id]) => (*id, Size::Of(4)),
            (21 | 22, [id, bits, ..]) => (*id, Size::Of(u64::from(*bits) / 8)),
            (23 | 24, [id, of, count]) => (*id, Size::Of(size(of) * u64::from(*count))),
            (28, [id, of, length]) => {
                let length = constants.get(length).copied().unwrap_or(1);
                (*id, Size::Of(size(of).saturating_mul(length.into())))
            }
            (30, [id, members @ ..]) => (*id, Size::Of(members.iter().map(size).sum())),
            (32, [id, class, of]) => (*id, Size::Pointer(*class, *of)),
            (43 | 50, [_, id, value, ..]) => {
                constants.insert(*id, *value);
                continue;
            }
            (59, [pointer, _, WORKGROUP, ..]) => {
                if let Some(Size::Pointer(WORKGROUP, of)) = sizes.get(pointer) {
                    all = all.saturating_add(size(of));
                }
                continue;
            }
            _ => continue,
        };
        sizes.insert(id, new);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::shared_bytes;

    fn inst(op: u32, body: &[u32]) -> Vec<u32> {
        let mut words = vec![op | (body.len() as u32 + 1) << 16];
        words.extend(body);
        words
    }

    #[test]
    fn variables_of_a_group_are_added_up() {
        let parts = [
            vec![0x0723_0203, 0x1_0000, 0, 20, 0],
            inst(22, &[1, 32]),
            inst(23, &[2, 1, 4]),
            inst(21, &[3, 32, 0]),
            inst(43, &[3, 4, 100]),
            inst(28, &[5, 2, 4]),
            inst(32, &[6, 4, 5]),
            inst(32, &[7, 4, 3]),
            inst(32, &[8, 7, 5]),
            inst(59, &[6, 9, 4]),
            inst(59, &[7, 10, 4]),
            // Of a function.
            inst(59, &[8, 11, 7]),
        ];
        assert_eq!(shared_bytes(&parts.concat()), 1604);
    }
}
