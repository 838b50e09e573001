//! Words that begin a patch: each value of each field, held against the limits of envytools' tests of an NV20 written down a second
//! time.

use afterimage_nv2a_types::patches::{Patch, Refusal, check_end, check0, check2, check3};

const fn field(word: u32, low: u32, width: u32) -> u32 {
    word >> low & ((1 << width) - 1)
}

/// Words of a patch that is taken.
const GOOD: [u32; 4] = [4, 0, 1 << 8 | 1 | 17 << 16, 8 << 24 | 4 << 6];

#[test]
fn the_position_has_an_order_and_other_attributes_may_have_one() {
    for value in 0..16 {
        assert_eq!(check0(value).is_ok(), value != 0);
        for attribute in 0..16usize {
            let mut words = GOOD;
            words[attribute / 8] = words[attribute / 8] & !(15 << (attribute % 8 * 4)) | value << (attribute % 8 * 4);
            let patch = Patch(words);
            for other in 0..16 {
                let expected = if other == attribute { value } else { u32::from(other == 0) * 4 };
                assert_eq!(patch.attribute(other), expected, "{attribute} {value} {other}");
            }
        }
    }
}

#[test]
fn a_swatch_has_a_size_and_what_is_left_is_smaller() {
    for size in 0..32 {
        for rows in 0..32 {
            for columns in 0..32 {
                let word = columns << 26 | rows << 21 | size << 16 | 0x1234;
                let taken = (4..=17).contains(&size) && rows < size && columns < size;
                assert_eq!(check2(word).is_ok(), taken, "{word:#x}");
                assert!(check2(word | 1 << 31).is_err(), "{word:#x}");
            }
        }
    }
}

#[test]
fn transitions_are_at_none_one_or_both_sides() {
    for rows in 0..8 {
        for columns in 0..8 {
            let word = GOOD[3] | rows << 3 | columns;
            let taken = |sides| [0, 1, 2, 3, 5, 6].contains(&sides);
            assert_eq!(check3(word).is_ok(), taken(rows) && taken(columns), "{word:#x}");
            if check3(word).is_ok() {
                let count = |sides: u32| [0, 1, 1, 2, 0, 1, 1][sides as usize];
                assert_eq!(Patch([GOOD[0], 0, GOOD[2], word]).transitions(), count(rows) + count(columns));
            }
        }
    }
    for bit in 0..32 {
        assert_eq!(
            check3(GOOD[3] ^ 1 << bit).is_ok(),
            !(17..24).contains(&bit) && bit != 8 && bit != 2 && bit != 5,
            "{bit}"
        );
        assert_eq!(check_end(1 << bit), Err(Refusal::Bits(1 << bit)));
    }
    assert_eq!(check_end(0), Ok(()));
}

#[test]
fn vectors_of_coefficients_fit_what_is_left_for_them() {
    for a in 1..16 {
        for b in 0..16 {
            let used = 2 + a + if b > 0 { 2 + b } else { 0 };
            let most = 60 - used % 32;
            for vectors in 0..256 {
                let patch = Patch([GOOD[0], 0, GOOD[2], vectors << 24 | b << 10 | a << 6]);
                let expected =
                    if (2..=most).contains(&vectors) { Ok(()) } else { Err(Refusal::Vectors { vectors, most }) };
                assert_eq!(patch.check(), expected, "{a} {b}");
            }
        }
    }
}

/// What a patch without whole swatches needs: rows, columns.
fn needs(rows: u32, columns: u32) -> [u32; 2] {
    let has_first = |sides: u32| u32::from([1, 3, 5].contains(&sides));
    match (columns, rows) {
        (0, 2 | 6) | (2 | 6, 0) => [0, 0],
        (0, 1 | 5) => [1, 0],
        (0, 3) => [2, 1],
        (1 | 5, 0) => [0, 1],
        (3, 0) => [1, 2],
        (columns, rows) => [1 + has_first(rows), 1 + has_first(columns)],
    }
}

#[test]
fn small_patches_have_room_for_their_transitions() {
    for (rows, columns) in [0, 1, 2, 3, 5, 6].into_iter().flat_map(|a| [0, 1, 2, 3, 5, 6].map(|b| (a, b))) {
        for (rest_rows, rest_columns, whole) in
            (0..5).flat_map(|a| (0..5).flat_map(move |b| [0, 1, 256].map(|c| (a, b, c))))
        {
            for any_size in [0, 1] {
                let word = rest_columns << 26 | rest_rows << 21 | 5 << 16 | whole;
                let patch = Patch([4, 0, word, 2 << 24 | any_size << 16 | 1 << 6 | rows << 3 | columns]);
                let needs = needs(rows, columns);
                let small = whole == 0 && any_size == 0 && (rest_rows < needs[0] || rest_columns < needs[1]);
                let expected =
                    if small { Err(Refusal::Small { has: [rest_rows, rest_columns], needs }) } else { Ok(()) };
                assert_eq!(patch.check(), expected, "{rows} {columns} {word:#x}");
            }
        }
    }
}

#[test]
fn swatches_are_whole_ones_and_a_rest() {
    for (rows, columns) in [0, 1, 2, 3, 5, 6].into_iter().flat_map(|a| [0, 1, 2, 3, 5, 6].map(|b| (a, b))) {
        for word in (0..5)
            .flat_map(|a| (0..5).flat_map(move |b| [0, 1, 0x100, 0xFFFF].map(|c| a << 26 | b << 21 | 5 << 16 | c)))
        {
            let patch = Patch([4, 0, word, 2 << 24 | 1 << 6 | rows << 3 | columns]);
            let (rest_columns, rest_rows) = (field(word, 26, 5), field(word, 21, 5));
            let (first_row, first_column) = (rows & 1 != 0, columns & 1 != 0);
            let mut across = field(word, 0, 8);
            if rest_columns != 0 && (across != 0 || rest_columns > 1 || !first_column || field(word, 8, 8) == 0) {
                across += 1;
            }
            let mut down = field(word, 8, 8);
            if rest_rows != 0 && (down != 0 || rest_rows > 1 || !first_row) {
                down += 1;
            }
            assert_eq!(patch.swatches(), [down, across], "{word:#x} {rows} {columns}");
            let nothing = |rest: u32, first: bool| rest == u32::from(first);
            let empty = word & 0xFFFF == 0 && (nothing(rest_columns, first_column) || nothing(rest_rows, first_row));
            assert_eq!(patch.is_empty(), empty, "{word:#x} {rows} {columns}");
        }
    }
}
