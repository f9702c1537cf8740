//! Proposals as real files, for the person's own editor.
//!
//! Each lies under its own name in a private folder of its own beside the socket. What comes back is
//! read as if anybody could have put it there: no links of either kind, our own file, of bounded size.
//! A save is the person's version of the text and decides nothing.

use crate::broker::Message;
use doorward_core::queue::RequestId;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use rustix::fs::{Mode, OFlags, ResolveFlags};
use std::collections::HashMap;
use std::fs::{DirBuilder, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio::sync::mpsc::UnboundedSender;

const LARGEST: u64 = 8 << 20;

/// One proposal on disk; its folder goes with it.
pub struct Staged {
    folder: TempDir,
    path: PathBuf,
}

pub struct Staging {
    root: PathBuf,
    staged: HashMap<RequestId, Staged>,
    watcher: Option<RecommendedWatcher>,
}

impl Staging {
    /// What an earlier run left behind goes: the lock of the socket is ours.
    pub fn new(socket: &Path, messages: UnboundedSender<Message>) -> Self {
        let root = socket.with_extension("proposals");
        // Nothing there is the ordinary case.
        let _ = std::fs::remove_dir_all(&root);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            for path in event.into_iter().flat_map(|event| event.paths) {
                let _ = messages.send(Message::Touched(path));
            }
        });
        Self {
            root,
            staged: HashMap::new(),
            watcher: watcher.ok(),
        }
    }

    pub fn root(&self) -> PathBuf {
        self.root.clone()
    }

    pub fn path(&self, id: RequestId) -> Option<&Path> {
        self.staged.get(&id).map(|staged| staged.path.as_path())
    }

    pub fn keep(&mut self, id: RequestId, staged: Staged) -> PathBuf {
        let path = staged.path.clone();
        let watched = self
            .watcher
            .as_mut()
            .is_some_and(|watcher| watch(watcher, staged.folder.path()));
        if !watched {
            tracing::warn!(id = id.0, "a proposal is not watched; its saves go unseen");
        }
        self.staged.insert(id, staged);
        path
    }

    /// The proposal in whose folder something happened.
    pub fn touched(&self, path: &Path) -> Option<RequestId> {
        let within = |staged: &Staged| path.starts_with(staged.folder.path());
        self.staged
            .iter()
            .find(|(_, staged)| within(staged))
            .map(|(id, _)| *id)
    }

    pub fn drop(&mut self, id: RequestId) {
        if let (Some(staged), Some(watcher)) = (self.staged.remove(&id), &mut self.watcher) {
            let _ = watcher.unwatch(staged.folder.path());
        }
    }

    pub fn clear(&mut self) {
        self.staged.clear();
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

fn watch(watcher: &mut RecommendedWatcher, folder: &Path) -> bool {
    watcher.watch(folder, RecursiveMode::NonRecursive).is_ok()
}

/// Writes the file below `root`. Blocks.
pub fn write(root: &Path, name: &str, bytes: &[u8]) -> io::Result<Staged> {
    match DirBuilder::new().mode(0o700).create(root) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    doorward_socket::endpoint::check_directory(root).map_err(io::Error::other)?;
    let folder = tempfile::Builder::new().prefix("").tempdir_in(root)?;
    let path = folder.path().join(safe(name));
    let mut file = File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok(Staged { folder, path })
}

/// The file's own name, so that an editor's tab reads as it should; never a way out of the folder.
fn safe(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or_default();
    let plain: String = name
        .chars()
        .map(|character| {
            if character.is_control() || doorward_core::visible::is_hidden(character) {
                '_'
            } else {
                character
            }
        })
        .collect();
    let fits = plain.len() <= 200 && !plain.is_empty() && plain != "." && plain != "..";
    if fits { plain } else { "proposal".to_owned() }
}

/// What stands there now. Blocks.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let (folder, name) = (path.parent(), path.file_name());
    let (Some(folder), Some(name)) = (folder, name) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let folder = rustix::fs::open(
        folder,
        OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let file = File::from(rustix::fs::openat2(
        folder,
        name,
        flags,
        Mode::empty(),
        resolve,
    )?);
    let about = file.metadata()?;
    let ours = about.is_file()
        && about.nlink() == 1
        && about.uid() == rustix::process::geteuid().as_raw()
        && about.len() <= LARGEST;
    if !ours {
        return Err(io::Error::other("not a plain file of ours"));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn root() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("proposals");
        (folder, root)
    }

    #[test]
    fn two_files_of_one_name_lie_side_by_side_under_it() {
        let (_folder, root) = root();
        let one = write(&root, "src/index.js", b"1").expect("written");
        let two = write(&root, "lib/index.js", b"2").expect("written");
        assert_ne!(one.path, two.path);
        for (staged, bytes) in [(&one, b"1"), (&two, b"2")] {
            assert!(staged.path.ends_with("index.js"));
            assert_eq!(read(&staged.path).expect("read"), bytes);
        }
        let kept = one.path.clone();
        drop(one);
        assert!(!kept.exists(), "it goes with its proposal");
    }

    #[test]
    fn no_name_leads_out_or_hides() {
        for (name, safe_name) in [
            ("../..", "proposal"),
            ("", "proposal"),
            ("a/..", "proposal"),
            ("evil\u{202e}txt.js", "evil_txt.js"),
            ("a\nb", "a_b"),
        ] {
            assert_eq!(safe(name), safe_name);
        }
    }

    #[test]
    fn links_and_large_files_are_not_read_back() {
        let (_folder, root) = root();
        let staged = write(&root, "a.txt", b"mine").expect("written");
        let secret = staged.folder.path().join("secret");
        fs::write(&secret, "secret").expect("written");
        let put = |make: &dyn Fn()| {
            fs::remove_file(&staged.path).expect("removed");
            make();
            read(&staged.path)
        };
        assert!(
            put(&|| std::os::unix::fs::symlink(&secret, &staged.path).expect("a link")).is_err()
        );
        assert!(put(&|| fs::hard_link(&secret, &staged.path).expect("a link")).is_err());
        let large = put(&|| {
            File::create(&staged.path)
                .and_then(|file| file.set_len(LARGEST + 1))
                .expect("a file")
        });
        assert!(large.is_err());
        assert_eq!(
            put(&|| fs::write(&staged.path, "saved").expect("a file")).expect("read"),
            b"saved"
        );
    }
}
