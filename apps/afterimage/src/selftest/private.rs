//! What a page that is sent to strangers need not tell: who somebody is, and where their files lie.

use std::path::Path;

/// Folders in which each user has one of their own name.
const HOMES: [&str; 2] = ["/home/", "/Users/"];

/// Folders, and what stands for them.
#[derive(Debug, Default)]
pub(super) struct Private(Vec<(String, &'static str)>);

impl Private {
    /// Of this process: the user's home, and folders that are named here.
    pub(super) fn new(folders: &[(&Path, &'static str)]) -> Self {
        let mut all: Vec<(String, &'static str)> = Vec::new();
        for (folder, name) in folders {
            let spelled = [Some(folder.to_path_buf()), std::path::absolute(folder).ok(), folder.canonicalize().ok()];
            all.extend(spelled.into_iter().flatten().map(|folder| (folder.display().to_string(), *name)));
        }
        let home = std::env::var_os("HOME").map(|home| Path::new(&home).display().to_string());
        all.extend(home.map(|home| (home.trim_end_matches('/').to_owned(), "~")));
        // A name such as `.` or `/` is in everything.
        all.retain(|(folder, _)| folder.starts_with('/') && folder.len() > 1);
        // What lies in another one comes before it.
        all.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then(a.cmp(b)));
        all.dedup();
        Self(all)
    }

    /// A text without them.
    pub(super) fn hidden(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (folder, name) in &self.0 {
            text = without(&text, folder, |rest| {
                // A part of a longer name is another folder.
                let whole = !rest.starts_with(is_of_name);
                whole.then_some((0, *name))
            });
        }
        for homes in HOMES {
            text = without(&text, homes, |rest| {
                let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
                (end > 0).then_some((end, "~"))
            });
        }
        text
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || "_-.@+".contains(c)
}

/// A text with each place of a part replaced by what is said of the rest: how much more goes, and what stands there.
fn without(text: &str, part: &str, say: impl Fn(&str) -> Option<(usize, &'static str)>) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(part) {
        let behind = &rest[at + part.len()..];
        // `/srv/home/x` is nobody's home.
        let inside = rest[..at].ends_with(is_of_name);
        match say(behind).filter(|_| !inside) {
            Some((more, name)) => {
                out.push_str(&rest[..at]);
                out.push_str(name);
                rest = &behind[more..];
            }
            None => {
                out.push_str(&rest[..at + part.len()]);
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::Private;

    #[test]
    fn folders_and_names_are_hidden() {
        let private = Private(vec![("/data/me/afterimage".into(), "RELEASE"), ("/data/me".into(), "~")]);
        for (text, hidden) in [
            ("read /data/me/afterimage/bin/x", "read RELEASE/bin/x"),
            ("'/data/me' and /data/melon", "'~' and /data/melon"),
            ("/Users/jane.doe/Library/x.dylib", "~/Library/x.dylib"),
            ("(/home/jane)", "(~)"),
            ("/home/ and /srv/home/jane", "/home/ and /srv/home/jane"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(private.hidden(text), hidden);
        }
    }

    #[test]
    fn a_folder_has_all_its_names() {
        let temp = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(temp.path(), temp.path().join("other")).unwrap();
        let named = temp.path().join("other");
        let private = Private::new(&[(&named, "MATERIAL")]);
        assert_eq!(private.hidden(&format!("{}/a.png", named.display())), "MATERIAL/a.png");
        assert_eq!(
            private.hidden(&format!("{}/a.png", temp.path().canonicalize().unwrap().display())),
            "MATERIAL/a.png"
        );
    }
}
