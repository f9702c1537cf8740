//! The file before an overwrite: regular files only, at most 8 MiB, within 500 ms, off the loop.

use doorward_core::request::{Before, Change, Origin, PermissionRequest};
use rustix::fs::{Mode, OFlags};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LARGEST: u64 = 8 << 20;

/// Fills in what the agent did not send; says so where that fails.
pub async fn fill(request: &mut PermissionRequest) {
    for file in &mut request.files {
        let Change::Whole { before, .. } = &mut file.change else {
            continue;
        };
        if *before != Before::NotSent {
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
        match tokio::time::timeout(Duration::from_millis(500), reading).await {
            Ok(Ok(Ok(found))) => *before = found,
            Ok(Ok(Err(said))) => file.note = Some(said.into()),
            _ => {
                file.note =
                    Some("The file on disk could not be read in time; shown as sent.".into())
            }
        }
    }
}

fn read(path: PathBuf) -> Result<Before, &'static str> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    // Looked at before it is opened: opening a device can have effects.
    match std::fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Before::Absent),
        Err(_) => return Err("The file on disk could not be read; shown as sent."),
        Ok(about) if !about.is_file() => return Err("This is not a regular file; shown as sent."),
        Ok(about) if about.len() > LARGEST => {
            return Err("The file on disk is larger than 8 MiB; shown as sent.");
        }
        Ok(_) => {}
    }
    let descriptor = rustix::fs::open(&path, flags, Mode::empty())
        .map_err(|_| "The file on disk could not be read; shown as sent.")?;
    let mut bytes = Vec::new();
    let file = std::fs::File::from(descriptor);
    if !file.metadata().is_ok_and(|about| about.is_file()) {
        return Err("This is not a regular file; shown as sent.");
    }
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|_| "The file on disk could not be read; shown as sent.")?;
    if bytes.len() as u64 > LARGEST {
        return Err("The file on disk is larger than 8 MiB; shown as sent.");
    }
    String::from_utf8(bytes)
        .map(Before::Text)
        .map_err(|_| "The file on disk is not text; shown as sent.")
}
