//! `--replace-shader`: shaders of files in place of the guest's.

use super::Args;
use crate::{Failure, shader};
use afterimage_inspect::shader_hash;
use afterimage_vulkan::{Options, Renderer};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The value of the option.
#[derive(Clone, Debug)]
pub(super) struct Replacement {
    /// First hexadecimal digits of the hash.
    hash: String,
    file: PathBuf,
}

impl Replacement {
    /// Reads HASH=FILE.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (hash, file) = text.split_once('=').ok_or("expected HASH=FILE")?;
        let hash = hash.trim().trim_start_matches("0x").to_ascii_lowercase();
        if hash.is_empty() || hash.len() > 32 || !hash.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(format!(
                "\"{hash}\" is no hash: up to 32 hexadecimal digits, as `afterimage inspect FILE shaders` shows them"
            ));
        }
        Ok(Self { hash, file: file.into() })
    }
}

/// How often each was used.
pub(super) struct Replaced(Vec<(Replacement, Arc<AtomicU64>)>);

impl Replaced {
    /// A replacement for a shader that the capture does not have is a mistake.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let unused = self.0.iter().find(|(_, uses)| uses.load(Ordering::Relaxed) == 0);
        unused.map_or(Ok(()), |(replacement, _)| {
            Err(Failure::new(format!("no shader that was created has a hash that begins with {}", replacement.hash)))
        })
    }
}

/// Replays with a renderer on Vulkan, made when it is asked for, that draws with the shaders that are asked for.
pub(super) fn on_vulkan(
    args: &Args,
    file: &Path,
    options: Options,
    replay: impl FnOnce(Box<dyn FnOnce() -> Result<Renderer, Failure> + '_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut replaced = None;
    replay(Box::new(|| {
        let renderer = Renderer::new(options);
        let mut renderer = renderer.map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
        replaced = Some(install(args, &mut renderer)?);
        Ok(renderer)
    }))?;
    replaced.map_or(Ok(()), |replaced: Replaced| replaced.check())
}

/// Has the renderer draw with the shaders that are asked for.
pub(super) fn install(args: &Args, renderer: &mut Renderer) -> Result<Replaced, Failure> {
    let mut rows = Vec::new();
    for replacement in &args.replace_shader {
        let (language, code) = shader::stream_code(&replacement.file)?;
        rows.push((replacement.clone(), language as u32, code, Arc::new(AtomicU64::new(0))));
    }
    let replaced = rows.iter().map(|(replacement, _, _, uses)| (replacement.clone(), Arc::clone(uses))).collect();
    if !rows.is_empty() {
        renderer.set_shader_replacer(Some(Box::new(move |body, code| {
            let hash = format!("{:032x}", shader_hash(code));
            let (replacement, language, code, uses) = rows.iter().find(|row| hash.starts_with(&row.0.hash))?;
            if uses.fetch_add(1, Ordering::Relaxed) == 0 {
                tracing::info!("{} ({hash}) is {}", body.id, replacement.file.display());
            }
            Some((*language, code.clone()))
        })));
    }
    Ok(Replaced(replaced))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_checked() {
        let good = Replacement::parse("0xAB12=a=b.spv").unwrap();
        assert_eq!((good.hash.as_str(), good.file), ("ab12", PathBuf::from("a=b.spv")));
        for bad in ["ab12", "=a.spv", "xyz=a.spv", "123456789012345678901234567890123=a.spv"] {
            assert!(Replacement::parse(bad).is_err(), "{bad}");
        }
    }
}
