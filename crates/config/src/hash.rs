//! What tells one version of a program's file from another.

use sha2::{Digest as _, Sha256};
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The SHA-256 of a file, as `sha256sum` prints it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FileHash([u8; 32]);

impl FileHash {
    /// Of a file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(path: &Path) -> io::Result<Self> {
        let (mut file, mut hash, mut block) = (File::open(path)?, Sha256::new(), vec![0; 1 << 16]);
        loop {
            match file.read(&mut block)? {
                0 => return Ok(Self(hash.finalize().into())),
                read => hash.update(&block[..read]),
            }
        }
    }

    /// Of 64 hexadecimal digits; `None` if they are anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        bytes(text)?.try_into().ok().map(Self)
    }
}

/// Bytes that are written as two hexadecimal digits each.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.bytes().map(|byte| char::from(byte).to_digit(16)).collect::<Option<Vec<_>>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| (high << 4 | low) as u8).collect())
}

impl fmt::Display for FileHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for FileHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_hashed_as_sha256sum_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "abc").unwrap();
        // FIPS 180-4's own example.
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let hash = FileHash::of(&path).unwrap();
        assert_eq!(hash.to_string(), known);
        assert_eq!(FileHash::parse(&known.to_uppercase()), Some(hash));
        std::fs::write(&path, vec![b'a'; 1_000_000]).unwrap();
        let million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
        assert_eq!(FileHash::of(&path).unwrap().to_string(), million);
        assert!(FileHash::of(folder.path()).is_err());
        for bad in ["", "ba", &known[1..], &known.replace('b', "g"), "äöäöäöäöäöäöäöäöäöäöäöäöäöäöäöäö"]
        {
            assert_eq!(FileHash::parse(bad), None, "{bad}");
        }
    }
}
