//! The transport between processes: one file per program, mapped by both sides.
//!
//! The guest makes the file ([`SharedLink::connect`]) in a private directory ([`directory`]) under a random name; a
//! viewer ([`Host`]) looks into the directory and claims the file ([`Claim`]); a process of its choice becomes the receiver
//! ([`Channel`]). Guest and viewer may start in any order. `docs/shared-memory.md` says what lies where in the file.
//!
//! **Liveness.** Each side holds a lock on a byte of the file that the kernel drops when the process ends, however it
//! ends. There is no heart-beat, which a debugger, a long shader compilation or a suspended laptop would stop, and no
//! process id is compared, since those of Wine programs are not the kernel's.
//!
//! **Epochs.** A viewer that claims a file adds one to the header's epoch and reads nothing until the guest has
//! answered with the same number. In between the guest alone owns both rings and empties them. So neither side ever
//! meets half a packet that was meant for another viewer.
//!
//! **Trust.** The viewer believes nothing in the file: positions, lengths, slots and packets are copied out of it, then
//! checked. A guest that truncates the file under the viewer's mapping reads as zeros and is disconnected.

mod directory;
mod ending;
mod guest;
#[cfg(unix)]
mod host;
mod layout;
mod lock;
mod map;
mod requests;
mod ring;
#[cfg(unix)]
mod sigbus;
mod slots;

pub use directory::{DIRECTORY_VARIABLE, directory, prepare};
pub use guest::{ConnectError, Options, SharedLink};
#[cfg(unix)]
pub use host::{Channel, Claim, Found, Host, HostError, Life, running};
pub use layout::{HeaderError, VERSION};
pub use requests::{Requests, Wanted};
pub use ring::fuzz_ring;
