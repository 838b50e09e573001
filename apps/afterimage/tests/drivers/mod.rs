//! Caches of programs that draw, each with what drivers compiled for the programs of other tests: a driver for the CPU compiles for seconds what
//! it then draws in a moment. What we keep ourselves is each test's own.

use std::fs;
use std::path::Path;

/// Mesa's folder in that of our caches, and its files: it takes empty ones for new ones.
const MESA: &str = "drivers/mesa/mesa_shader_cache_db";
const PARTS: usize = 50;
const FILES: [&str; 2] = ["mesa_cache.db", "mesa_cache.idx"];

/// Has a folder of caches share what drivers keep with those of all tests: by names of the same files, since a renderer reaches nothing outside
/// of it. Where files cannot have two names, the driver compiles.
pub(crate) fn shared<T: AsRef<Path>>(cache: T) -> T {
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join(MESA);
    for part in 0..PARTS {
        let [there, here] = [&all, &cache.as_ref().join(MESA)].map(|folder| folder.join(format!("part{part}")));
        for folder in [&there, &here] {
            fs::create_dir_all(folder).unwrap();
        }
        for file in FILES {
            let made = fs::OpenOptions::new().create(true).append(true).open(there.join(file));
            let _not_if_it_is_there = made.and_then(|_| fs::hard_link(there.join(file), here.join(file)));
        }
    }
    cache
}
