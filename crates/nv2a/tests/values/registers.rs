//! Methods whose argument is one of a few numbers: all of those are taken, everything else leaves what was there.

use afterimage_nv2a_types::enumerations::{ENUMERATIONS, is_enumeration};
use afterimage_nv2a_types::{Registers, method};

#[test]
fn every_number_of_every_enumeration_is_taken_and_no_other() {
    let mut registers = Registers::new();
    for row in ENUMERATIONS {
        let numbers = || row.values.iter().map(|(number, _)| *number);
        let others = numbers().flat_map(|number| [0, 1, 8, 16, 31].map(|bit| number ^ 1 << bit)).chain(0..16);
        let others: Vec<u32> = others.filter(|other| numbers().all(|number| number != *other)).collect();
        for &method in row.methods {
            assert!(is_enumeration(method), "{method:#x}");
            for number in numbers() {
                registers.set(method, number);
                assert_eq!(registers.get(method), number, "{method:#x}");
                for other in &others {
                    registers.set(method, *other);
                    assert_eq!(registers.get(method), number, "{method:#x}: {other:#x}");
                }
            }
        }
    }
    for size in 0..1 << 9 {
        registers.set(method::SET_POINT_SIZE, size);
        registers.set(method::SET_POINT_SIZE, size | 1 << 9);
        assert_eq!(registers.get(method::SET_POINT_SIZE), size);
    }
}
