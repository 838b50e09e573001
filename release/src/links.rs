//! Whether what the documents of a tree name is there: the links and pictures of its pages, and the files of its `README.md`.

use std::collections::BTreeMap;
use std::path::Path;

use xtask::step::{Context as _, Failure, Result};

use crate::files;
use crate::stage::DOCUMENTS;

/// Folders that paths in the text begin with.
const ROOTS: [&str; 4] = ["bin/", "include/", "lib/", "share/"];

/// How many files were found to be there.
///
/// # Errors
/// When one is not.
pub(crate) fn check(tree: &Path) -> Result<usize> {
    let documents = tree.join(DOCUMENTS);
    let mut pages = BTreeMap::new();
    for file in files::list(&documents)?.into_iter().filter(|file| file.extension().is_some_and(|of| of == "html")) {
        let text = std::fs::read_to_string(documents.join(&file)).doing(format!("reading {}", file.display()))?;
        pages.insert(file, text);
    }
    let (mut missing, mut count) = (Vec::new(), 0);
    for (file, text) in &pages {
        for target in targets(text) {
            count += 1;
            let (path, section) = target.split_once('#').unwrap_or((target, ""));
            let folder = file.parent().unwrap_or(Path::new(""));
            let named = if path.is_empty() { documents.join(file) } else { documents.join(folder).join(path) };
            let found = named.canonicalize().is_ok_and(|found| {
                let page = found
                    .strip_prefix(documents.canonicalize().unwrap_or_default())
                    .ok()
                    .and_then(|name| pages.get(name));
                found.is_file()
                    && page.is_none_or(|page| section.is_empty() || page.contains(&format!("id=\"{section}\"")))
            });
            if !found {
                missing.push(format!("{}: {target}", file.display()));
            }
        }
    }
    let readme = tree.join("README.md");
    let text = std::fs::read_to_string(&readme).doing(format!("reading {}", readme.display()))?;
    for path in paths(&text) {
        count += 1;
        if !tree.join(path).exists() {
            missing.push(format!("README.md: {path}"));
        }
    }
    if missing.is_empty() {
        return Ok(count);
    }
    Err(Failure::new("looking for what the documents name", missing.join("\n")))
}

/// What a page links to and shows, without other hosts.
fn targets(page: &str) -> Vec<&str> {
    let after = ["href=\"", "src=\""].into_iter().flat_map(|sign| page.split(sign).skip(1));
    after.filter_map(|rest| Some(rest.split_once('"')?.0)).filter(|target| !target.contains("://")).collect()
}

/// Paths of the tree that a text names, as code or in blocks of it. One that stands for many, with words in capitals, is none.
fn paths(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| c.is_whitespace() || "`(),;".contains(c));
    let paths = words.map(|word| word.trim_matches(['.', '/', ':'])).filter(|word| {
        let stands_for_many = word.contains(['*', '$', '<', '{']) || word.contains("NAME");
        ROOTS.iter().any(|root| word.starts_with(root)) && !stands_for_many
    });
    paths.collect()
}

#[cfg(test)]
mod tests {
    use super::{check, paths, targets};
    use crate::files;

    #[test]
    fn what_is_named_is_found_in_text() {
        assert_eq!(
            paths("`bin/x` and lib/y/; (share/z.html). lib/NAME.so, /usr/lib/q"),
            ["bin/x", "lib/y", "share/z.html"]
        );
        assert_eq!(targets("<a href=\"a.html#b\"><img src=\"c.png\"><a href=\"https://x\">"), ["a.html#b", "c.png"]);
    }

    #[test]
    fn what_is_not_there_is_told() {
        let tree = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| files::write(&tree.path().join(file), text).unwrap();
        write("README.md", "bin/x");
        write("bin/x", "");
        write("share/doc/afterimage/html/index.html", "<h1 id=\"top\"><a href=\"a/b.html#there\">");
        write("share/doc/afterimage/html/a/b.html", "<h2 id=\"there\"><a href=\"../index.html#top\">");
        assert_eq!(check(tree.path()).unwrap(), 3);
        write("README.md", "bin/x bin/y");
        write("share/doc/afterimage/html/a/b.html", "<a href=\"../index.html#top\"><img src=\"p.png\">");
        let failure = check(tree.path()).unwrap_err();
        assert_eq!(failure.tail, ["html/a/b.html: p.png", "html/index.html: a/b.html#there", "README.md: bin/y"]);
    }
}
