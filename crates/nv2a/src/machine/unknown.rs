//! What is not known is said once, with its name, and the rest goes on.

use afterimage_nv2a_types::{classes, methods};
use rustc_hash::FxHashSet;

/// What was said already.
#[derive(Debug, Default)]
pub(super) struct Unknown {
    said: FxHashSet<(Kind, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Method,
    Value,
    Unbound,
    Handle,
    Class,
}

impl Unknown {
    /// Different things that are said; a guest can think of more.
    const LIMIT: usize = 1024;

    fn first(&mut self, kind: Kind, what: u32) -> bool {
        self.said.len() < Self::LIMIT && self.said.insert((kind, what))
    }

    /// A method that its class does not have.
    #[cold]
    pub(super) fn method(&mut self, class: u8, method: u16, argument: u32) {
        if self.first(Kind::Method, u32::from(class) << 16 | u32::from(method)) {
            tracing::warn!("class {class:#04x} has no method {method:#06x} that is known (argument {argument:#010x})");
        }
    }

    /// An argument that a method does not know, and what is done.
    #[cold]
    pub(super) fn argument(&mut self, class: u8, method: u16, argument: u32, then: &str) {
        if self.first(Kind::Value, u32::from(class) << 16 | u32::from(method)) {
            let kelvin = methods::row_of(method).filter(|_| class == super::KELVIN).map(|row| row.name);
            let other = || classes::class_of(class)?.method(method).map(|(name, _)| name);
            let name = kelvin.or_else(other).unwrap_or("method");
            tracing::warn!("class {class:#04x}, {name} {method:#06x}: {argument:#010x} {then}");
        }
    }

    /// A method on a subchannel without an object.
    #[cold]
    pub(super) fn unbound(&mut self, subchannel: u8, method: u16, argument: u32) {
        if self.first(Kind::Unbound, u32::from(subchannel) << 16 | u32::from(method)) {
            tracing::warn!("method {method:#06x} ({argument:#010x}): no object is bound to subchannel {subchannel}");
        }
    }

    /// A handle that is not in the table.
    #[cold]
    pub(super) fn handle(&mut self, handle: u32) {
        if self.first(Kind::Handle, handle) {
            tracing::warn!("no object has the handle {handle:#x}");
        }
    }

    /// A class of objects.
    #[cold]
    pub(super) fn class(&mut self, class: u8) {
        if self.first(Kind::Class, class.into()) {
            tracing::warn!("objects of class {class:#04x} are not known; their methods do nothing");
        }
    }
}
