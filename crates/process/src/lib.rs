//! Processes that render for strangers.
//!
//! * [`supervise`]: a command that works in a process of its own.
//! * [`socket`]: messages between a process and the one that started it.
//! * [`ending`]: how such processes end.
//! * [`sandbox`]: what such a process may reach.
#[cfg(unix)]
pub mod ending;
pub mod sandbox;
#[cfg(unix)]
pub mod socket;
#[cfg(unix)]
pub mod supervise;
