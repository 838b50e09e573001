//! The table of paths, and what a process is for, as a ruleset of the kernel's (Landlock).

use super::paths::{self, PATHS, Right, When};
use super::{Access, Outcome};
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, PathFd, RestrictSelfAttr,
    RestrictionStatus, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, Scope,
};
use std::path::PathBuf;

/// What each version of Landlock brought that is used here: a kernel that lacks one says so.
pub(super) const VERSIONS: &[(ABI, &str, &str)] = &[
    (ABI::V1, "5.13", "files and folders"),
    (ABI::V2, "5.19", "files that are moved between folders"),
    (ABI::V3, "6.2", "files that are cut short"),
    (ABI::V4, "6.7", "connections over TCP"),
    (ABI::V5, "6.10", "commands to devices"),
    (ABI::V6, "6.12", "signals to other processes, and sockets with abstract names"),
];

/// The newest that is asked for. It has one thing more: to which sockets in folders a process may connect.
const NEWEST: ABI = ABI::V9;

/// What a right is to the kernel.
fn rights(right: Right) -> BitFlags<AccessFs> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    match right {
        Right::Read | Right::Manifests => read,
        Right::Device => read | AccessFs::WriteFile | AccessFs::IoctlDev,
        // Neither devices nor sockets, pipes or links are made.
        Right::Write => {
            read | AccessFs::WriteFile
                | AccessFs::Truncate
                | AccessFs::MakeReg
                | AccessFs::MakeDir
                | AccessFs::RemoveFile
                | AccessFs::RemoveDir
                | AccessFs::Refer
        }
        Right::Connect => AccessFs::ResolveUnix.into(),
    }
}

/// Every path that may be reached, with what may be done there.
fn reached(access: &Access) -> Vec<(PathBuf, Right)> {
    let variable = |name: &str| std::env::var_os(name);
    let holds = |when: When| when == When::Always || access.display;
    let mut reached: Vec<(PathBuf, Right)> = PATHS
        .iter()
        .filter(|row| holds(row.when))
        .flat_map(|row| paths::expand(row.pattern, &variable).into_iter().map(|path| (path, row.right)))
        .collect();
    let manifests: Vec<PathBuf> =
        reached.iter().filter(|(_, right)| *right == Right::Manifests).map(|(path, _)| path.clone()).collect();
    reached.extend(paths::libraries_of(&manifests).into_iter().map(|path| (path, Right::Read)));
    // Names in backtraces.
    reached.extend(std::env::current_exe().ok().map(|path| (path, Right::Read)));
    reached.extend(access.read.iter().map(|path| (path.clone(), Right::Read)));
    reached.extend(access.write.iter().chain(&access.cache).map(|path| (path.clone(), Right::Write)));
    reached
}

/// Enforces the rules: on every thread where the kernel can do that, else on this one and those that it starts.
pub(super) fn confine(access: &Access, threads: usize) -> Outcome {
    match enforce(access) {
        Ok(status) => outcome(&status.landlock, status.all_threads, threads),
        Err(error) => Outcome::Impossible(format!("Landlock: {error}")),
    }
}

fn enforce(access: &Access) -> Result<RestrictionStatus, RulesetError> {
    let mut scopes = BitFlags::from(Scope::Signal);
    if !access.display {
        scopes |= Scope::AbstractUnixSocket;
    }
    let mut ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(scopes)?
        .create()?;
    for (path, right) in reached(access) {
        // What is not there, or not for this user, is not reached without a rule either.
        let (Ok(place), Ok(about)) = (PathFd::new(&path), path.metadata()) else { continue };
        let rights =
            rights(right) & if about.is_dir() { AccessFs::from_all(NEWEST) } else { AccessFs::from_file(NEWEST) };
        if !rights.is_empty() {
            ruleset = ruleset.add_rule(PathBeneath::new(place, rights))?;
        }
    }
    // A rule holds what is behind a name, and the kernel forgets what is behind those of `/proc` that nobody has open.
    std::mem::forget(PathFd::new("/proc/self"));
    ruleset.all_threads(true)?.restrict_self()
}

/// What became of it with a kernel of such abilities.
fn outcome(kernel: &LandlockStatus, all_threads: bool, threads: usize) -> Outcome {
    let has = match kernel {
        LandlockStatus::NotEnabled => {
            return Outcome::Impossible("this kernel's Landlock is switched off (`lsm=` at boot)".into());
        }
        LandlockStatus::NotImplemented => {
            return Outcome::Impossible("this kernel has no Landlock (Linux 5.13, CONFIG_SECURITY_LANDLOCK)".into());
        }
        LandlockStatus::Available { effective_abi, .. } => *effective_abi,
    };
    let mut lacks: Vec<String> = VERSIONS
        .iter()
        .filter(|(version, ..)| *version > has)
        .map(|(_, linux, what)| format!("this kernel does not check {what} (Linux {linux} does)"))
        .collect();
    if threads > 1 && !all_threads {
        lacks.push(format!("{} threads were there before, and are free", threads - 1));
    }
    if lacks.is_empty() { Outcome::Confined } else { Outcome::Partly(lacks.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(effective_abi: ABI) -> LandlockStatus {
        LandlockStatus::Available { effective_abi, kernel_abi: None }
    }

    #[test]
    fn what_a_kernel_lacks_is_said() {
        assert_eq!(outcome(&with(ABI::V6), false, 1), Outcome::Confined);
        assert_eq!(outcome(&with(ABI::V10), true, 8), Outcome::Confined);
        let said = outcome(&with(ABI::V3), false, 3).to_string();
        for part in ["TCP (Linux 6.7", "devices (Linux 6.10", "signals", "2 threads"] {
            assert!(said.contains(part), "{said}");
        }
        assert!(!said.contains("5.13"), "{said}");
        for without in [LandlockStatus::NotEnabled, LandlockStatus::NotImplemented] {
            let Outcome::Impossible(why) = outcome(&without, false, 1) else { panic!("{without:?}") };
            assert!(why.contains("Landlock"), "{why}");
        }
    }

    /// Windows add to what is reached, and what is given is.
    #[test]
    fn what_is_given_is_reached() {
        let access =
            Access { read: vec!["/a".into()], write: vec!["/b".into()], cache: Some("/c".into()), display: false };
        let found = reached(&access);
        for (path, right) in [("/a", Right::Read), ("/b", Right::Write), ("/c", Right::Write)] {
            assert!(found.contains(&(path.into(), right)), "{path}");
        }
        let x11 = (PathBuf::from("/tmp/.X11-unix"), Right::Connect);
        assert!(!found.contains(&x11));
        assert!(reached(&Access { display: true, ..access }).contains(&x11));
    }
}
