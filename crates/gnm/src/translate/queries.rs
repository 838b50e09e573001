//! Counts of samples that pass the depth test. What `ZPASS_DONE` writes only ever grows; programs subtract.

use super::Translator;
use afterimage_gnm_types::{Registers, reg};

impl Translator {
    /// From the next draw on samples count, or do not, as the registers say.
    pub(super) fn apply_queries(&mut self, registers: &Registers) {
        let control = registers.get(reg::DB_COUNT_CONTROL);
        let counts = !reg::DB_COUNT_CONTROL::ZPASS_INCREMENT_DISABLE.is_set(control)
            && (reg::DB_COUNT_CONTROL::PERFECT_ZPASS_COUNTS.is_set(control)
                || reg::DB_COUNT_CONTROL::ZPASS_ENABLE.is_set(control));
        self.passed.count(&mut self.port, counts);
    }
}
