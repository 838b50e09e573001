//! Whether memory is as it should be.

use afterimage_gcn_corpus::{Channel, Compare, Header, Kind, Resource};

/// Whether two floats are equal, both NaN, or near enough.
fn near(got: f64, wanted: f64, tolerance: f64) -> bool {
    let size = got.abs().max(wanted.abs()).max(1e-2);
    got == wanted || got.is_nan() && wanted.is_nan() || (got - wanted).abs() <= tolerance * size
}

/// Whether two words of which nothing is known are equal, or floats, not too small to be meant as such, that are near enough.
fn alike(got: u32, wanted: u32, tolerance: f64) -> bool {
    let [a, b] = [got, wanted].map(f32::from_bits);
    let is_float = |x: f32| x == 0.0 || x.is_nan() || x.is_finite() && x.abs() >= 1e-12;
    got == wanted || is_float(a) && is_float(b) && near(a.into(), b.into(), tolerance)
}

/// Whether what a resource holds is as near as its program's header wants. Texels that are no 32-bit floats may be one step away
/// where floats need not be exact.
fn same(compare: Compare, resource: &Resource, got: &[u32], wanted: &[u32]) -> Result<(), usize> {
    let format = match resource.kind {
        Kind::Image(image) => Some(image.format),
        Kind::TexelImage(format) => Some(format),
        _ => None,
    };
    let float = |word: u32| f64::from(f32::from_bits(word));
    let double = |words: &[u32]| f64::from_bits(u64::from(words[0]) | u64::from(words[1]) << 32);
    match (compare, format) {
        (Compare::Double(tolerance), None) => {
            let pairs = got.as_chunks::<2>().0.iter().zip(wanted.as_chunks::<2>().0);
            let wrong = pairs
                .enumerate()
                .find(|(_, (got, wanted))| got != wanted && !near(double(*got), double(*wanted), tolerance));
            wrong.map_or(Ok(()), |(at, _)| Err(2 * at))
        }
        (Compare::Float(tolerance), format) if format.is_none_or(|f| f.name.ends_with("32f")) => {
            let wrong = got
                .iter()
                .zip(wanted)
                .position(|(got, wanted)| got != wanted && !near(float(*got), float(*wanted), tolerance.into()));
            wrong.map_or(Ok(()), Err)
        }
        (Compare::Near(tolerance), format) if format.is_none_or(|f| f.name.ends_with("32f")) => {
            let tolerance = f64::from(tolerance);
            let doubles = |at: usize| {
                let at = at & !1;
                let pair = |words: &[u32]| words.get(at..at + 2).map(double).filter(|x| x.abs() >= 1e-12);
                let pairs = pair(got).zip(pair(wanted));
                pairs.is_some_and(|(got, wanted)| near(got, wanted, tolerance))
            };
            let words = got.iter().zip(wanted).enumerate();
            let wrong =
                words.filter(|(_, (a, b))| !alike(**a, **b, tolerance)).map(|(at, _)| at).find(|at| !doubles(*at));
            wrong.map_or(Ok(()), Err)
        }
        (Compare::Float(_) | Compare::Near(_), Some(format))
            if format.channel == Channel::Unorm && format.bytes == 4 =>
        {
            let wrong = got.iter().zip(wanted).position(|(got, wanted)| {
                let bytes = got.to_le_bytes().into_iter().zip(wanted.to_le_bytes());
                bytes.into_iter().any(|(got, wanted)| got.abs_diff(wanted) > 1)
            });
            wrong.map_or(Ok(()), Err)
        }
        _ => got.iter().zip(wanted).position(|(got, wanted)| got != wanted).map_or(Ok(()), Err),
    }
}

/// Compares everything that a shader can write.
///
/// # Errors
/// In words, the first difference.
pub(crate) fn compare(header: &Header, got: &[Vec<u32>], wanted: &[Vec<u32>]) -> Result<(), String> {
    for ((resource, got), wanted) in header.resources.iter().zip(got).zip(wanted) {
        if !matches!(resource.kind, Kind::Buffer | Kind::TexelImage(_) | Kind::Image(_)) {
            continue;
        }
        if got.len() != wanted.len() {
            return Err(format!("binding {} has {} words, not {}", resource.binding, got.len(), wanted.len()));
        }
        same(header.compare, resource, got, wanted).map_err(|at| {
            let count = got.iter().zip(wanted).filter(|(got, wanted)| got != wanted).count();
            let [got_at, wanted_at] = [got[at], wanted[at]];
            let mut text =
                format!("binding {} word {at} is {got_at:#010x} and not {wanted_at:#010x}", resource.binding);
            if matches!(header.compare, Compare::Float(_)) {
                let [got_at, wanted_at] = [got_at, wanted_at].map(f32::from_bits);
                text += &format!(" ({got_at:e} and not {wanted_at:e})");
            }
            text + &format!("; {count} of {} words differ", got.len())
        })?;
    }
    Ok(())
}
