//! Listings: which words are an instruction, and what Mesa calls it.
//!
//! LLVM's have the words. ACO's are its own representation after everything is lowered, one line for each instruction, without the
//! words: these are cut by the rules of the encodings ("Sea Islands Series Instruction Set Architecture", chapter 12). Both must come
//! out at the same end with the same number.

use afterimage_gcn_corpus::compiled::Listed;

/// `s_nop 0`, which ACO puts in front of loops when it writes the words.
const NOP: u32 = 0xbf80_0000;

/// Words of the instruction that begins with `word`.
fn length(word: u32) -> usize {
    /// A source that stands for the word behind.
    const LITERAL: u32 = 255;
    let field = |low: u32, bits: u32| word >> low & ((1 << bits) - 1);
    let scalar = [0, 8].map(|low| field(low, 8) == LITERAL);
    let literal = match word >> 23 {
        0b1_0111_1101 => scalar[0],
        0b1_0111_1110 => scalar[0] || scalar[1],
        0b1_0111_1111 => false,
        // s_setreg_imm32_b32.
        top if top >> 5 == 0b1011 => field(23, 5) == 21,
        top if top >> 7 == 0b10 => scalar[0] || scalar[1],
        // VOP1 and VOPC, then VOP2 with v_madmk_f32 and v_madak_f32.
        top if top >> 8 == 0 => field(0, 9) == LITERAL || matches!(field(25, 6), 0x20 | 0x21),
        // SMRD: an offset in the word behind.
        top if top >> 4 == 0b11000 => field(8, 1) == 0 && field(0, 8) == LITERAL,
        // VINTRP; all others have two words.
        top => top >> 3 != 0b11_0010,
    };
    1 + usize::from(literal)
}

/// The code's instructions without their names.
///
/// # Errors
/// When the last one is not whole.
pub(super) fn unlisted(code: &[u32]) -> Result<Vec<Listed>, String> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&word) = code.get(at) {
        let words = code.get(at..at + length(word)).ok_or("the last instruction goes beyond the end")?.to_vec();
        at += words.len();
        out.push(Listed { words, mnemonic: "-".to_owned() });
    }
    Ok(out)
}

/// ACO's text and the code's words.
///
/// # Errors
/// When they do not fit together.
pub(super) fn of_aco(text: &str, code: &[u32]) -> Result<Vec<Listed>, String> {
    let text = text.rsplit("After ").next().unwrap_or(text);
    let mut names = text.lines().filter_map(|line| {
        let line = line.strip_prefix('\t')?;
        let instruction = line.split_once(" = ").map_or(line, |(_, instruction)| instruction);
        instruction.split_whitespace().find(|word| !word.starts_with('(')).map(|name| match name {
            "p_constaddr_getpc" => "s_getpc_b64",
            "p_constaddr_addlo" => "s_add_u32",
            name => name,
        })
    });
    let mut out = Vec::new();
    let mut at = 0;
    let mut name = names.next();
    while let Some(&word) = code.get(at) {
        let words = code.get(at..at + length(word)).ok_or("the last instruction goes beyond the end")?.to_vec();
        at += words.len();
        let mnemonic = match name {
            Some(listed) if word != NOP || listed == "s_nop" => {
                name = names.next();
                listed
            }
            _ if word == NOP => "s_nop",
            _ => return Err("the listing ends before the code".to_owned()),
        };
        out.push(Listed { words, mnemonic: mnemonic.to_owned() });
    }
    match name {
        None => Ok(out),
        Some(name) => Err(format!("the code ends before `{name}` of the listing")),
    }
}

/// LLVM's text and the code's words.
///
/// # Errors
/// When they do not fit together.
pub(super) fn of_llvm(text: &str, code: &[u32]) -> Result<Vec<Listed>, String> {
    let mut out = Vec::new();
    let mut at = 0;
    for line in text.lines() {
        let Some((instruction, hex)) = line.strip_prefix('\t').and_then(|line| line.rsplit_once(';')) else { continue };
        let hex: Result<Vec<u32>, _> = hex.split_whitespace().map(|word| u32::from_str_radix(word, 16)).collect();
        let (Ok(listed), Some(mnemonic)) = (hex, instruction.split_whitespace().next()) else { continue };
        let words = code.get(at..at + listed.len()).ok_or("the code ends before the listing")?.to_vec();
        // Displacements of branches and addresses are filled in after the text is made.
        let differs = listed[0] & 0xffff_0000 != words[0] & 0xffff_0000;
        if differs || listed.len() != length(words[0]) {
            return Err(format!("word {at} is {:#010x} and not {:#010x} as listed", words[0], listed[0]));
        }
        at += words.len();
        out.push(Listed { words, mnemonic: mnemonic.to_owned() });
    }
    if at == code.len() { Ok(out) } else { Err(format!("the listing ends at word {at} of {}", code.len())) }
}

#[cfg(test)]
mod tests {
    use super::length;

    #[test]
    fn instructions_are_as_long_as_their_encodings_say() {
        for (word, expected) in [
            (0xBE80_0303, 1),
            (0xBE80_03FF, 2),
            (0xC082_0300, 1),
            (0xC082_00FF, 2),
            (0x3608_08FF, 2),
            (0x7D82_040C, 1),
            (0x4000_0000, 2),
            (0xD2D2_0005, 2),
            (0xE030_1000, 2),
            (0xF800_08CF, 2),
            (0xC800_0000, 1),
            (0xBA80_0000, 2),
            (0xB000_0005, 1),
        ] {
            assert_eq!(length(word), expected, "{word:#010x}");
        }
    }
}
