//! Attributes and captures in the short form of the command line.
//!
//! | what | form | example |
//! |---|---|---|
//! | attribute | `LOCATION=FORMAT[@SLOT][+OFFSET][/instance[ N]]` | `1=R8G8B8A8_UNORM@0+12` |
//! | capture | `WHAT[.COMPONENTS]=BUFFER[+OFFSET]` | `2.xyz=0+16` |
//!
//! `FORMAT` is Vulkan's name without `VK_FORMAT_`. `WHAT` is a location, `position`, `point_size`, `clip` or `clip4`. An attribute
//! without a slot has that of its location's number; feedback without an offset is behind the one before it in its buffer.

use crate::formats;
use crate::lowering::{AttributeSource, FeedbackPlace, FeedbackSource};
use std::str::FromStr;

/// A short form that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`: {why}")]
pub struct TextError {
    /// All of it.
    pub text: String,
    /// What is wrong, and how it is right.
    pub why: String,
}

const ATTRIBUTE: &str = "an attribute is LOCATION=FORMAT[@SLOT][+OFFSET][/instance[ N]], as in 1=R8G8B8A8_UNORM@0+12";
const CAPTURE: &str = "an output is captured by WHAT[.COMPONENTS]=BUFFER[+OFFSET], as in 2.xyz=0+16 or position=0";

fn number<T: FromStr>(text: &str, what: &str) -> Result<T, String> {
    text.trim().parse().map_err(|_| format!("`{}` is no {what}", text.trim()))
}

/// What is before the first `mark`, and what is behind it.
fn cut(text: &str, mark: char) -> (&str, Option<&str>) {
    text.split_once(mark).map_or((text, None), |(before, behind)| (before, Some(behind)))
}

fn error(text: &str, why: impl Into<String>) -> TextError {
    TextError { text: text.to_owned(), why: why.into() }
}

impl FromStr for AttributeSource {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        attribute(text).map_err(|why| error(text, why))
    }
}

fn attribute(text: &str) -> Result<AttributeSource, String> {
    let (place, behind) = cut(text, '=');
    let Some(behind) = behind else { return Err(ATTRIBUTE.into()) };
    let location = number(place, "location")?;
    let (behind, step) = cut(behind, '/');
    let (behind, offset) = cut(behind, '+');
    let (name, slot) = cut(behind, '@');
    let name = name.trim();
    let format = formats::by_name(name).ok_or_else(|| {
        format!("there is no vertex format {name}; Vulkan's names are meant, such as R32G32B32_SFLOAT")
    })?;
    let divisor = match step.map(str::trim) {
        None | Some("vertex") => None,
        Some(step) => match step.strip_prefix("instance") {
            Some("") => Some(1),
            Some(divisor) => Some(number(divisor, "number of instances")?),
            None => return Err(format!("`{step}` is neither vertex nor instance nor instance N")),
        },
    };
    Ok(AttributeSource {
        location,
        format,
        slot: slot.map_or(Ok(location), |slot| number(slot, "slot"))?,
        offset: offset.map_or(Ok(0), |offset| number(offset, "offset in bytes"))?,
        divisor,
    })
}

impl FromStr for FeedbackPlace {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        capture(text).map_err(|why| error(text, why))
    }
}

fn capture(text: &str) -> Result<FeedbackPlace, String> {
    let (what, place) = cut(text, '=');
    let Some(place) = place else { return Err(CAPTURE.into()) };
    let (what, letters) = cut(what.trim(), '.');
    let what = match what {
        "position" => FeedbackSource::Position,
        "point_size" => FeedbackSource::PointSize,
        "clip" => FeedbackSource::ClipDistance(0),
        "clip4" => FeedbackSource::ClipDistance(4),
        other => FeedbackSource::Location(
            number(other, "location").map_err(|why| format!("{why}, nor position, point_size, clip or clip4"))?,
        ),
    };
    let components = match letters {
        None => None,
        Some(letters) => {
            let first = "xyzw".find(letters).filter(|_| !letters.is_empty());
            let first = first.ok_or_else(|| format!("`{letters}` are no components that lie together, such as xyz"))?;
            Some((first as u8, letters.len() as u8))
        }
    };
    let (buffer, offset) = cut(place, '+');
    let offset = offset.map(|offset| number(offset, "offset in bytes")).transpose()?;
    Ok(FeedbackPlace { what, components, buffer: number(buffer, "buffer")?, offset })
}

/// A buffer's stride, `BUFFER=BYTES`.
///
/// # Errors
/// When it is anything else.
pub fn stride(text: &str) -> Result<(u8, u32), TextError> {
    let read = || {
        let (buffer, bytes) = cut(text, '=');
        let bytes = bytes.ok_or("a stride is BUFFER=BYTES, as in 0=32")?;
        Ok((number(buffer, "buffer")?, number(bytes, "number of bytes")?))
    };
    read().map_err(|why: String| error(text, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes() {
        let parse = |text: &str| text.parse::<AttributeSource>();
        let rgb = formats::by_name("R32G32B32_SFLOAT").unwrap();
        let plain = AttributeSource { location: 3, format: rgb, slot: 3, offset: 0, divisor: None };
        assert_eq!(parse("3=R32G32B32_SFLOAT"), Ok(plain));
        assert_eq!(parse("3=VK_FORMAT_R32G32B32_SFLOAT@3+0/vertex"), Ok(plain));
        let all = AttributeSource { slot: 1, offset: 12, divisor: Some(4), ..plain };
        assert_eq!(parse("3=R32G32B32_SFLOAT@1+12/instance 4"), Ok(all));
        assert_eq!(parse("3=R32G32B32_SFLOAT@1+12/instance"), Ok(AttributeSource { divisor: Some(1), ..all }));
        for (text, says) in [
            ("3", "LOCATION=FORMAT"),
            ("x=R32_SFLOAT", "`x` is no location"),
            ("3=R32G32B33_SFLOAT", "no vertex format R32G32B33_SFLOAT"),
            ("3=R32_SFLOAT@y", "`y` is no slot"),
            ("3=R32_SFLOAT+-1", "`-1` is no offset"),
            ("3=R32_SFLOAT/frame", "neither vertex nor instance"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(says) && error.contains(text), "{error}");
        }
    }

    #[test]
    fn captures() {
        let parse = |text: &str| text.parse::<FeedbackPlace>();
        let place = |what, components, buffer, offset| Ok(FeedbackPlace { what, components, buffer, offset });
        assert_eq!(parse("position=0"), place(FeedbackSource::Position, None, 0, None));
        assert_eq!(parse("2.xyz=1+16"), place(FeedbackSource::Location(2), Some((0, 3)), 1, Some(16)));
        assert_eq!(parse("clip4.zw=3"), place(FeedbackSource::ClipDistance(4), Some((2, 2)), 3, None));
        for (text, says) in [
            ("2", "WHAT[.COMPONENTS]=BUFFER"),
            ("colour=0", "nor position"),
            ("2.xz=0", "lie together"),
            ("2.=0", "lie together"),
            ("2=a", "`a` is no buffer"),
            ("2=0+", "`` is no offset"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        assert_eq!(stride("2=48"), Ok((2, 48)));
        assert!(stride("2").is_err() && stride("2=x").is_err());
    }
}
