//! Set-up, demo, test, bless, bench, dist and validate.
fn main() {}
