//! What the files of a crate import of each other by `crate::` and `super::`, in `use` and elsewhere.
//!
//! A folder's own file names its children without either, to declare them, to hand on what they have and to call them:
//! that is what the folder is, and not counted. A name that a file hands on is an import of the file that has it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::citations;
use crate::tokens::{Names, closing, tokens, tree, without_tests};

/// A file of a crate.
#[derive(Debug, Default)]
struct Module {
    file: String,
    code: Names,
    /// What it hands on: the name, and what that is. `*` is everything.
    exports: Vec<(String, Names)>,
}

/// A crate: its files by their modules' paths.
#[derive(Debug, Default)]
pub(crate) struct Crate(BTreeMap<Names, Module>);

/// For each file, the files that it imports, and by which names.
pub(crate) type Imports = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

impl Crate {
    /// Reads what lies in a crate's `src`, tests excepted.
    pub(crate) fn read(src: &Path) -> Self {
        Self::new(citations::files(src, &["rs"]).into_iter().collect())
    }

    fn new(files: Vec<(String, String)>) -> Self {
        // What a program imports of its own crate's library it does not name by `crate`.
        let both = files.iter().any(|(file, _)| file == "lib.rs");
        let (mut found, mut tests) = (Self::default(), Vec::new());
        for (file, text) in files.iter().filter(|(file, _)| !(both && file == "main.rs")) {
            let (code, for_tests) = without_tests(&tokens(text));
            let code = code.into_iter().map(str::to_owned).collect();
            let path = module_of(file);
            tests.extend(for_tests.into_iter().map(|name| [path.as_slice(), &[name.to_owned()]].concat()));
            found.0.insert(path, Module { file: file.clone(), code, exports: Vec::new() });
        }
        found.0.retain(|path, _| !tests.iter().any(|test| path.starts_with(test)));
        let exports: Vec<_> = found.0.iter().map(|(path, module)| found.exports(path, &module.code)).collect();
        for (module, exports) in found.0.values_mut().zip(exports) {
            module.exports = exports;
        }
        found
    }

    /// Its files, tests excepted.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(|module| module.file.as_str())
    }

    /// What files import of others.
    pub(crate) fn imports(&self) -> Imports {
        let mut found = Imports::new();
        for (own, module) in &self.0 {
            for at in (0..module.code.len()).filter(|at| is_import(&module.code, *at)) {
                for (name, _) in tree(&module.code, at).1 {
                    let Some(target) = self.absolute(own, &name).map(|path| self.owner(&path, 0)) else { continue };
                    if target != *own {
                        let files = found.entry(module.file.clone()).or_default();
                        files.entry(self.0[&target].file.clone()).or_default().insert(name.join("::"));
                    }
                }
            }
        }
        found
    }

    /// What a module hands on with `pub use`.
    fn exports(&self, own: &[String], code: &[String]) -> Vec<(String, Names)> {
        let mut found = Vec::new();
        for at in (0..code.len()).filter(|at| code[*at] == "pub") {
            let is_limited = code.get(at + 1).is_some_and(|token| token == "(");
            let at = if is_limited { closing(code, at + 1) + 1 } else { at + 1 };
            if code.get(at).is_some_and(|token| token == "use") {
                let names = tree(code, at + 1).1.into_iter();
                found.extend(names.filter_map(|(path, name)| Some((name, self.absolute(own, &path)?))));
            }
        }
        found
    }

    /// A path from the crate's root, if it leads into the crate.
    fn absolute(&self, own: &[String], path: &[String]) -> Option<Names> {
        let up = path.iter().take_while(|name| *name == "super").count();
        let base = &own[..own.len().checked_sub(up)?];
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([own, &path[1..]].concat()),
            "super" => Some([base, &path[up..]].concat()),
            first => self.0.contains_key(&[own, &[first.to_owned()]].concat()).then(|| [own, path].concat()),
        }
    }

    /// The module that has what a path from the root names.
    fn owner(&self, path: &[String], depth: usize) -> Names {
        let mut module = 0;
        while module < path.len() && self.0.contains_key(&path[..=module]) {
            module += 1;
        }
        let (own, rest) = path.split_at(module);
        let Some((name, rest)) = rest.split_first().filter(|_| depth < 8) else { return own.to_vec() };
        let exports = || self.0[own].exports.iter();
        if let Some((_, target)) = exports().find(|(export, _)| export == name && name != "*") {
            return self.owner(&[target, rest].concat(), depth + 1);
        }
        let all = exports().filter(|(export, _)| export == "*" && !self.defines(own, name));
        let owners = all.map(|(_, from)| self.owner(&[&from[..from.len() - 1], &path[module..]].concat(), depth + 1));
        owners.into_iter().find(|owner| self.defines(owner, name)).unwrap_or_else(|| own.to_vec())
    }

    /// Whether a module has an item of a name.
    fn defines(&self, module: &[String], name: &str) -> bool {
        const ITEMS: [&str; 8] = ["struct", "enum", "union", "fn", "trait", "type", "const", "static"];
        self.0[module].code.windows(2).any(|pair| pair[1] == name && ITEMS.contains(&pair[0].as_str()))
    }
}

/// The path of the module that a file is.
fn module_of(file: &str) -> Names {
    let parts = file.trim_end_matches(".rs").split('/').map(str::to_owned);
    let mut path: Names = parts.collect();
    if path.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        path.pop();
    }
    path
}

/// Whether an import begins at a token; the path of `pub(in crate::a)` is none.
fn is_import(code: &[String], at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| &code[before]);
    let visibility = before == "in" && at > 1 && code[at - 2] == "(";
    let names = ["crate", "super"].contains(&code[at].as_str()) && code.get(at + 1).is_some_and(|token| token == "::");
    names && before != "::" && !visibility
}

#[test]
fn imports_are_found_where_they_lie() {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let found = Crate::new(vec![
        file("lib.rs", "mod a; mod b; pub use a::x::X; pub use b::*;"),
        file("a/mod.rs", "mod x; mod y; pub(crate) use x::{X as Other, Z};"),
        file("a/x.rs", "use crate::{B, b::{self, C}}; pub struct X; pub(in crate::a) struct Z;"),
        file(
            "a/y.rs",
            "use super::Other; fn f() { for i in crate::X::all() {} } #[cfg(test)] mod tests { use crate::b; }",
        ),
        file("b.rs", "pub struct B; pub struct C;"),
    ]);
    let edges = |(file, targets): (String, BTreeMap<String, BTreeSet<String>>)| {
        targets.into_iter().map(move |(target, names)| format!("{file} {target} {}", Vec::from_iter(names).join(" ")))
    };
    let edges: Vec<String> = found.imports().into_iter().flat_map(edges).collect();
    assert_eq!(edges, ["a/x.rs b.rs crate::B crate::b crate::b::C", "a/y.rs a/x.rs crate::X::all super::Other"]);
}
