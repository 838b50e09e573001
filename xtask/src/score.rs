//! What has passed and failed so far, in `cargo xtask test` and in the parts of it that the laboratory does.

use std::path::Path;

use crate::step::{Context as _, Failure, Result};

/// Numbers of checks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// Those that passed.
    pub passed: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those that could not be made here.
    pub skipped: usize,
}

impl Score {
    /// Adds a result, and says why it is bad if it is.
    pub fn add(&mut self, result: Result) {
        match result {
            Ok(()) => self.passed += 1,
            Err(failure) => {
                eprintln!("{failure}");
                self.failed += 1;
            }
        }
    }

    /// Adds another's numbers.
    pub fn join(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// Writes it for the process that asked.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, file: &Path) -> Result {
        let text = format!("{} {} {}\n", self.passed, self.failed, self.skipped);
        std::fs::write(file, text).doing(format!("writing {}", file.display()))
    }

    /// Reads what [`Self::write`] wrote.
    ///
    /// # Errors
    /// When there is none.
    pub fn read(file: &Path) -> Result<Self> {
        let what = || format!("reading {}", file.display());
        let text = std::fs::read_to_string(file).doing(what())?;
        let numbers: Vec<usize> = text.split_whitespace().map_while(|word| word.parse().ok()).collect();
        match numbers[..] {
            [passed, failed, skipped] => Ok(Self { passed, failed, skipped }),
            _ => Err(Failure::new(what(), format!("no three numbers: {text}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Score;

    #[test]
    fn what_is_written_is_read() {
        let file = std::env::temp_dir().join(format!("afterimage-score-{}", std::process::id()));
        let score = Score { passed: 3, failed: 0, skipped: 12 };
        score.write(&file).unwrap();
        assert_eq!(Score::read(&file).unwrap(), score);
        std::fs::write(&file, "3 of 4").unwrap();
        assert!(Score::read(&file).is_err());
        std::fs::remove_file(&file).unwrap();
    }
}
