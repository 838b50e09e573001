//! The disk cache: one file per artifact, named by its key.
//!
//! A file is [`Header`], then the artifact's bytes. Files that are damaged, older, or not ours are ignored with a warning
//! and written anew.

use crate::artifact::{decode_artifact, encode_artifact};
use crate::{Artifact, CacheKey, store};
use bytemuck::{Pod, Zeroable};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: [u8; 8] = *b"AFTSHADR";
const FORMAT: u32 = 1;
/// Larger files are not ours.
const MAX_BYTES: u64 = 64 << 20;

/// What stands before the artifact's bytes, little-endian.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    format: [u8; 4],
    pad: [u8; 4],
    /// Hash of the compiler's sources.
    compiler: [u8; 8],
    key: [u8; 16],
    /// Bytes that follow.
    size: [u8; 8],
    /// Hash of the bytes that follow.
    checksum: [u8; 8],
}

impl Header {
    fn new(key: CacheKey, payload: &[u8]) -> Self {
        Self {
            magic: MAGIC,
            format: FORMAT.to_le_bytes(),
            pad: [0; 4],
            compiler: compiler().to_le_bytes(),
            key: key.0.to_le_bytes(),
            size: (payload.len() as u64).to_le_bytes(),
            checksum: xxh3_64(payload).to_le_bytes(),
        }
    }
}

/// Hash of the compiler's sources: what another build has written is not to be trusted.
pub fn compiler() -> u64 {
    env!("AFTERIMAGE_COMPILER_HASH").parse().unwrap_or_default()
}

/// A directory of artifacts.
#[derive(Debug)]
pub struct DiskCache {
    dir: PathBuf,
    /// A directory that cannot be written is warned of once.
    warned: AtomicBool,
}

/// Why a file is not used.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("it is no shader cache file")]
    Foreign,
    #[error("another version of Afterimage wrote it")]
    Version,
    #[error("it belongs to another shader")]
    Key,
    #[error("it is damaged")]
    Damaged,
}

impl DiskCache {
    /// Uses a directory, which is made if it does not exist.
    ///
    /// # Errors
    /// When the directory cannot be made.
    pub fn open(dir: impl Into<PathBuf>) -> io::Result<Self> {
        let dir = dir.into();
        std::fs::create_dir_all(&dir)?;
        Ok(Self { dir, warned: AtomicBool::new(false) })
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The file of a key.
    pub fn path(&self, key: CacheKey) -> PathBuf {
        self.dir.join(format!("{key}.bin"))
    }

    /// The artifact of a key, if it is there and sound.
    pub fn get(&self, key: CacheKey) -> Option<Artifact> {
        let path = self.path(key);
        match read(&path, key) {
            Ok(artifact) => Some(artifact),
            Err(Unusable::Io(error)) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                tracing::warn!(file = %path.display(), "shader cache: {error}; it is rebuilt");
                None
            }
        }
    }

    /// Keeps an artifact. What goes wrong is logged once.
    pub fn put(&self, key: CacheKey, artifact: &Artifact) {
        if let Err(error) = self.write(key, artifact)
            && !self.warned.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(dir = %self.dir.display(), "shader cache: cannot write: {error}");
        }
    }

    fn write(&self, key: CacheKey, artifact: &Artifact) -> io::Result<()> {
        let payload = encode_artifact(artifact);
        store::write(&self.path(key), &[bytemuck::bytes_of(&Header::new(key, &payload)), &payload])
    }
}

fn read(path: &Path, key: CacheKey) -> Result<Artifact, Unusable> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    store::mark_used(&file);
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    let (head, payload) = bytes.split_at_checked(size_of::<Header>()).ok_or(Unusable::Foreign)?;
    let header: Header = bytemuck::pod_read_unaligned(head);
    if header.magic != MAGIC {
        return Err(Unusable::Foreign);
    }
    let expected = Header::new(key, payload);
    if header.format != expected.format || header.compiler != expected.compiler {
        return Err(Unusable::Version);
    }
    if header.key != expected.key {
        return Err(Unusable::Key);
    }
    if header.pad != expected.pad || header.size != expected.size || header.checksum != expected.checksum {
        return Err(Unusable::Damaged);
    }
    decode_artifact(payload).map_err(|_| Unusable::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Compiler, FloatRules, Language, Profile, RuntimeInfo, Shader};

    fn shader(text: &str) -> Shader {
        let tokens = afterimage_shader_d3d9::assemble(text).expect("assembles");
        Shader::new(Language::D3d9, bytemuck::cast_slice(&tokens)).expect("parses")
    }

    #[test]
    fn artifacts_come_back_and_bad_files_do_not() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let cache = DiskCache::open(dir.path().join("a/b")).expect("directory");
        let shader = shader(
            "ps_2_0\ndcl t0\ndcl_2d s0\ndcl_cube s1\ndef c3, 1.0, 0.0, 0.0, 0.0\n\
             texld r0, t0, s0\ntexld r1, t0, s1\nmul r0, r0, c0\nadd r0, r0, c3\nadd r0, r0, r1\ntexkill r0\nmov oC0, r0",
        );
        let runtime = RuntimeInfo { link: shader.own_link(), ..RuntimeInfo::default() };
        let compiler = Compiler { profile: Profile::default(), cache: Some(cache) };
        let cache = compiler.cache.as_ref().expect("set above");
        let key = shader.key(&compiler.profile, &runtime);
        assert!(cache.get(key).is_none());
        let artifact = compiler.compile(&shader, &runtime).expect("compiles");
        assert_eq!(cache.get(key).as_ref(), Some(&artifact));

        // Each byte of the file matters: wherever it is damaged or cut, it is not used, and compiling repairs it.
        let path = cache.path(key);
        let good = std::fs::read(&path).expect("cache file");
        for at in (0..size_of::<Header>()).chain((size_of::<Header>()..good.len()).step_by(7)) {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            std::fs::write(&path, bad).expect("write");
            assert!(cache.get(key).is_none(), "byte {at}");
            std::fs::write(&path, &good[..at]).expect("write");
            assert!(cache.get(key).is_none(), "cut at {at}");
        }
        assert_eq!(compiler.compile(&shader, &runtime).expect("compiles"), artifact);
        assert_eq!(std::fs::read(&path).expect("cache file"), good);

        // A sound file under the name of another shader.
        let other = CacheKey(key.0 ^ 1);
        std::fs::copy(&path, cache.path(other)).expect("copy");
        assert!(cache.get(other).is_none());
    }

    /// Whatever changes the artifact changes the key, byte for byte of the state around the shader.
    #[test]
    fn keys_cover_what_artifacts_depend_on() {
        let shaders = [
            "ps_1_1\ntex t0\nmul r0, t0, v0",
            "ps_2_0\ndcl v0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmul r0, r0, v0\nmov oC0, r0",
            "ps_3_0\ndcl_texcoord7 v0\ndcl_normal v1\nadd oC0, v0, v1",
            "vs_2_0\ndcl_position v0\nmov oPos, v0",
        ];
        let (profile, mut distinct) = (Profile::default(), 0);
        for text in shaders {
            let shader = shader(text);
            let base = RuntimeInfo { link: shader.own_link(), ..RuntimeInfo::default() };
            let (key, artifact) = (shader.key(&profile, &base), shader.compile(&profile, &base).expect("compiles"));
            for at in 0..size_of::<RuntimeInfo>() {
                for bit in 0..8 {
                    let mut other = base;
                    bytemuck::bytes_of_mut(&mut other)[at] ^= 1 << bit;
                    // States that no guest can have may be refused; what counts is that none is taken for another.
                    let Ok(compiled) = shader.compile(&profile, &other) else { continue };
                    if compiled != artifact {
                        distinct += 1;
                        assert_ne!(shader.key(&profile, &other), key, "{text}: bit {bit} of byte {at}");
                    }
                    let normalized = shader.compile(&profile, &shader.normalized(&other)).expect("compiles");
                    assert!(normalized == compiled, "{text}: bit {bit} of byte {at} is lost");
                }
            }
        }
        assert!(distinct > 20, "{distinct}");
    }

    #[test]
    fn keys_cover_device_and_code() {
        let code = |red: f32| shader(&format!("ps_2_0\ndef c0, {red:.1}, 0.0, 0.0, 0.0\nmov oC0, c0"));
        let mut keys = std::collections::HashSet::new();
        for shader in [code(0.0), code(1.0)] {
            for (bindless, debug_names) in [(false, false), (false, true), (true, false), (true, true)] {
                for (float_rules, preserve) in FloatRules::ALL.into_iter().flat_map(|r| [(r, false), (r, true)]) {
                    let profile = Profile { bindless, float_rules, preserve, debug_names, ..Profile::default() };
                    keys.insert(shader.key(&profile, &RuntimeInfo::default()));
                }
            }
        }
        assert_eq!(keys.len(), 48);
    }
}
