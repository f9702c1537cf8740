//! The file before an overwrite: regular files only, at most 8 MiB, within 500 ms, off the loop.

use doorward_core::request::{Change, Found, Origin, PermissionRequest};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LARGEST: u64 = 8 << 20;
const PATIENCE: Duration = Duration::from_millis(500);
const FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOCTTY);
/// Bytes of a file of git that are read: a name fits, anything else is none.
const NAME: u64 = 4 << 10;

/// Fills in what the agent did not send; says so where that fails.
pub async fn fill(request: &mut PermissionRequest) {
    if request.origin == Origin::Local
        && let Some(cwd) = request.session.cwd.clone()
        && Path::new(&cwd).is_absolute()
    {
        let reading = tokio::task::spawn_blocking(move || branch(Path::new(&cwd)));
        let read = tokio::time::timeout(PATIENCE, reading).await;
        request.session.branch = read.ok().and_then(Result::ok).flatten();
    }
    if request.plan.is_none() && request.origin == Origin::Local {
        request.plan = named_plan(request).await;
    }
    files(request).await;
}

/// The plan's file, where the agent sends its name and not its text.
async fn named_plan(request: &PermissionRequest) -> Option<String> {
    let call = &request.tool_call;
    let named = call.raw_input.as_ref()?.get("planFilePath")?.as_str()?;
    let path = PathBuf::from(named);
    if call.kind != "switch_mode" || !path.is_absolute() {
        return None;
    }
    let reading = tokio::task::spawn_blocking(move || read(path));
    match tokio::time::timeout(PATIENCE, reading).await.ok()?.ok()? {
        Ok(Found::Bytes(bytes)) => String::from_utf8(bytes.to_vec())
            .ok()
            .filter(|plan| !plan.trim().is_empty()),
        _ => None,
    }
}

/// The request with its files as they are now; none if they are as they were.
pub async fn again(mut request: PermissionRequest) -> Option<PermissionRequest> {
    let before = request.files.clone();
    for file in &mut request.files {
        if file.found.take().is_some() {
            file.note = None;
        }
    }
    files(&mut request).await;
    request.changed = true;
    (request.files != before).then_some(request)
}

async fn files(request: &mut PermissionRequest) {
    for file in &mut request.files {
        if matches!(file.change, Change::Deleted { .. } | Change::Patch(_)) {
            continue;
        }
        if request.origin == Origin::Elsewhere {
            file.note = Some("Shown as sent; the file is on another machine.".into());
            continue;
        }
        // A relative path without the session's folder names no file we could know.
        let path = Path::new(request.session.cwd.as_deref().unwrap_or_default()).join(&file.path);
        if !path.is_absolute() {
            file.note = Some("The session's folder is not known; shown as sent.".into());
            continue;
        }
        let reading = tokio::task::spawn_blocking(move || read(path));
        match tokio::time::timeout(PATIENCE, reading).await {
            Ok(Ok(Ok(found))) => file.found = Some(found),
            Ok(Ok(Err(said))) => file.note = Some(said.into()),
            _ => {
                file.note =
                    Some("The file on disk could not be read in time; shown as sent.".into())
            }
        }
    }
}

/// The branch that is checked out, or the start of the commit's name.
fn branch(cwd: &Path) -> Option<String> {
    let git = cwd
        .ancestors()
        .map(|folder| folder.join(".git"))
        .find(|git| git.exists())?;
    let head = if git.is_dir() {
        git.join("HEAD")
    } else {
        // A worktree's `.git` is a file that names the folder.
        let named = short(&git)?;
        let folder = named.strip_prefix("gitdir:")?.trim();
        git.parent()?.join(folder).join("HEAD")
    };
    let head = short(&head)?;
    match head.trim().strip_prefix("ref: refs/heads/") {
        Some(branch) => Some(branch.to_owned()),
        None => {
            let commit = head.trim().get(..8)?;
            let hex = commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            hex.then(|| commit.to_owned())
        }
    }
}

fn short(path: &Path) -> Option<String> {
    let mut text = String::new();
    regular(path)?.take(NAME).read_to_string(&mut text).ok()?;
    Some(text)
}

fn regular(path: &Path) -> Option<File> {
    // Looked at before it is opened: opening a device can have effects.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let file = File::from(rustix::fs::open(path, FLAGS, Mode::empty()).ok()?);
    file.metadata().ok()?.is_file().then_some(file)
}

fn read(path: PathBuf) -> Result<Found, &'static str> {
    match std::fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Found::Absent),
        Err(_) => return Err("The file on disk could not be read; shown as sent."),
        Ok(about) if !about.is_file() => return Err("This is not a regular file; shown as sent."),
        Ok(about) if about.len() > LARGEST => {
            return Err("The file on disk is larger than 8 MiB; shown as sent.");
        }
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    let file = regular(&path).ok_or("The file on disk could not be read; shown as sent.")?;
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|_| "The file on disk could not be read; shown as sent.")?;
    if bytes.len() as u64 > LARGEST {
        return Err("The file on disk is larger than 8 MiB; shown as sent.");
    }
    Ok(Found::Bytes(bytes.into()))
}

#[cfg(test)]
mod tests {
    use super::branch;
    use std::fs::{create_dir_all, write};

    #[test]
    fn the_branch_is_read_also_from_a_worktree_and_from_below() {
        let folder = tempfile::tempdir().expect("a folder");
        let (main, tree) = (folder.path().join("main"), folder.path().join("tree"));
        create_dir_all(main.join(".git/worktrees/t")).expect("folders");
        create_dir_all(tree.join("src")).expect("folders");
        write(main.join(".git/HEAD"), "ref: refs/heads/feature/x\n").expect("a file");
        write(main.join(".git/worktrees/t/HEAD"), "0123456789abcdef\n").expect("a file");
        write(tree.join(".git"), "gitdir: ../main/.git/worktrees/t\n").expect("a file");
        assert_eq!(branch(&main).as_deref(), Some("feature/x"));
        assert_eq!(branch(&tree.join("src")).as_deref(), Some("01234567"));
    }

    #[test]
    fn what_is_no_repository_has_no_branch() {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path().join(".git"), "gitdir: /dev\n").expect("a file");
        assert_eq!(branch(folder.path()), None);
    }
}
