//! The blocks' tables as people read them.

use afterimage_passes::feedback::block::{BUFFERS, Field, STREAMS, VERTEX_BUFFERS};

/// Documentation of a block or a field without the marks of Rust's.
pub fn plain(about: &str) -> String {
    about.trim().replace(['[', ']', '`'], "")
}

/// A field's type, with the lengths of arrays as numbers.
pub fn type_of(field: &Field) -> String {
    [("VERTEX_BUFFERS", VERTEX_BUFFERS), ("BUFFERS", BUFFERS), ("STREAMS", STREAMS)]
        .iter()
        .fold(field.ty.to_owned(), |ty, (name, value)| ty.replace(name, &value.to_string()))
}
