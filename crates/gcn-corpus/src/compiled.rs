//! What a compiler made of a program: the text files that `cargo xtask gnm shaders` writes.

use std::fmt::{self, Write as _};

/// RADV's compilers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Compiler {
    /// Mesa's own.
    Aco,
    /// LLVM.
    Llvm,
}

impl Compiler {
    /// Both.
    pub const ALL: [Compiler; 2] = [Compiler::Aco, Compiler::Llvm];
}

impl fmt::Display for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["aco", "llvm"][*self as usize])
    }
}

/// An instruction of a listing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    /// Its words.
    pub words: Vec<u32>,
    /// What Mesa calls it.
    pub mnemonic: String,
}

/// User SGPRs with a meaning of RADV's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UserData {
    /// The meaning; the README lists them.
    pub value: String,
    /// First SGPR.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// Code for one hardware stage.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shader {
    /// Hardware stage, AMD's two letters: `ps`, `vs`, `gs`, `es`, `hs`, `ls`, `cs`.
    pub stage: String,
    /// The extension of the GLSL file that it comes from; `copy` of a geometry shader's copy shader.
    pub from: String,
    /// Registers by their names without the prefix of the stage (`rsrc1`, `rsrc2`, `ps_input_ena`, ...).
    pub registers: Vec<(String, u32)>,
    /// Threads of a workgroup.
    pub threads: [u32; 3],
    /// Bytes of LDS.
    pub lds: u32,
    /// Bytes of scratch memory of a wave.
    pub scratch: u32,
    /// User SGPRs in order.
    pub user: Vec<UserData>,
    /// Which dwords of the push constants are in user SGPRs (`inline_push`), by bits.
    pub inline_push: u64,
    /// The instructions.
    pub listing: Vec<Listed>,
    /// Constants behind the code, which it reads relative to `s_getpc_b64`.
    pub data: Vec<u32>,
}

/// All that a compiler made of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compiled {
    /// One for each hardware stage.
    pub shaders: Vec<Shader>,
}

impl Shader {
    /// The code, then what lies behind it.
    pub fn words(&self) -> Vec<u32> {
        self.listing.iter().flat_map(|listed| &listed.words).chain(&self.data).copied().collect()
    }

    /// Words of instructions.
    pub fn code_words(&self) -> usize {
        self.listing.iter().map(|listed| listed.words.len()).sum()
    }

    /// The value of a register, 0 where the file has none.
    pub fn register(&self, name: &str) -> u32 {
        self.registers.iter().find(|(register, _)| register == name).map_or(0, |(_, value)| *value)
    }
}

impl fmt::Display for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for shader in &self.shaders {
            writeln!(f, "shader {} {}", shader.stage, shader.from)?;
            for (name, value) in &shader.registers {
                writeln!(f, "register {name} {value:#010x}")?;
            }
            if shader.threads != [0; 3] {
                let [x, y, z] = shader.threads;
                writeln!(f, "threads {x} {y} {z}")?;
            }
            for (name, value) in [("lds", shader.lds), ("scratch", shader.scratch)] {
                if value != 0 {
                    writeln!(f, "{name} {value}")?;
                }
            }
            for UserData { value, first, count } in &shader.user {
                writeln!(f, "user {value} {first} {count}")?;
            }
            if shader.inline_push != 0 {
                writeln!(f, "inline_push {:#x}", shader.inline_push)?;
            }
            for Listed { words, mnemonic } in &shader.listing {
                let mut hex = String::new();
                for word in words {
                    write!(hex, "{word:08x} ")?;
                }
                writeln!(f, "  {hex:18}{mnemonic}")?;
            }
            for row in shader.data.chunks(8) {
                let row: Vec<String> = row.iter().map(|word| format!("{word:08x}")).collect();
                writeln!(f, "data {}", row.join(" "))?;
            }
        }
        Ok(())
    }
}

impl Compiled {
    /// Reads what `Display` wrote.
    ///
    /// # Errors
    /// The number of the line that is wrong, and why.
    pub fn parse(text: &str) -> Result<Compiled, (usize, String)> {
        let mut out = Compiled::default();
        for (at, line) in text.lines().enumerate() {
            out.line(line).map_err(|why| (at + 1, why))?;
        }
        Ok(out)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| crate::header::number(words.get(at).ok_or("a number is missing")?);
        let text = |at: usize| words.get(at).map(|word| (*word).to_owned()).ok_or("a word is missing");
        let hex = |word: &&str| u32::from_str_radix(word, 16).map_err(|_| format!("`{word}` is no word of code"));
        if words.first() == Some(&"shader") {
            self.shaders.push(Shader { stage: text(1)?, from: text(2)?, ..Shader::default() });
            return Ok(());
        }
        let shader = self.shaders.last_mut().ok_or("no shader has begun")?;
        match words[..] {
            [] => {}
            [.., mnemonic] if line.starts_with("  ") => {
                let words = words[..words.len() - 1].iter().map(hex).collect::<Result<_, _>>()?;
                shader.listing.push(Listed { words, mnemonic: mnemonic.to_owned() });
            }
            ["register", ..] => shader.registers.push((text(1)?, number(2)?)),
            ["threads", ..] => shader.threads = [number(1)?, number(2)?, number(3)?],
            ["lds", ..] => shader.lds = number(1)?,
            ["scratch", ..] => shader.scratch = number(1)?,
            ["user", ..] => shader.user.push(UserData { value: text(1)?, first: number(2)?, count: number(3)? }),
            ["inline_push", mask] => {
                let mask = mask.strip_prefix("0x").and_then(|mask| u64::from_str_radix(mask, 16).ok());
                shader.inline_push = mask.ok_or("a mask is hexadecimal")?;
            }
            ["data", ref row @ ..] => {
                for word in row {
                    shader.data.push(hex(word)?);
                }
            }
            [word, ..] => return Err(format!("no line begins with `{word}`")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_back() {
        let listed = |words: &[u32], mnemonic: &str| Listed { words: words.to_vec(), mnemonic: mnemonic.to_owned() };
        let shader = Shader {
            stage: "cs".to_owned(),
            from: "comp".to_owned(),
            registers: vec![("rsrc1".to_owned(), 7)],
            threads: [8, 8, 1],
            lds: 512,
            user: vec![UserData { value: "set0".to_owned(), first: 2, count: 1 }],
            inline_push: 0x3_0000_0001,
            listing: vec![listed(&[0xBE80_03FF, 5], "s_mov_b32"), listed(&[0xBF81_0000], "s_endpgm")],
            data: (0..11).collect(),
            ..Shader::default()
        };
        let compiled = Compiled { shaders: vec![shader] };
        assert_eq!(Compiled::parse(&compiled.to_string()), Ok(compiled.clone()));
        assert_eq!(compiled.shaders[0].words().len(), 14);
        assert!(Compiled::parse("  bf810000 s_endpgm").is_err());
    }
}
