//! Counts of samples that pass the depth test. What `ZPASS_DONE` writes only ever grows; programs subtract.

use afterimage_gnm_types::{View, reg};

/// Whether samples of draws count.
pub(super) fn counts(registers: &View) -> bool {
    let control = registers.get(reg::DB_COUNT_CONTROL);
    !reg::DB_COUNT_CONTROL::ZPASS_INCREMENT_DISABLE.is_set(control)
        && (reg::DB_COUNT_CONTROL::PERFECT_ZPASS_COUNTS.is_set(control)
            || reg::DB_COUNT_CONTROL::ZPASS_ENABLE.is_set(control))
}
