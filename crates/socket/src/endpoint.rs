//! Where the socket is, and whether its place can be trusted.
//!
//! One list serves both sides: the server takes the first place that passes,
//! the client tries them all, because a hook's environment may lack what the
//! tray's had. No environment variable of ours selects a socket, since a
//! project's settings can set variables. There is no place under `/tmp` and no
//! abstract name: other users could take those first.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

/// The socket's file name within each candidate directory.
pub const FILE: &str = "doorward.sock";

/// A full backlog gives EAGAIN on Linux: it is busy, not absent.
const BUSY: Duration = Duration::from_millis(250);

/// `sun_path` has 108 bytes with the final zero.
const LONGEST: usize = 107;

#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    #[error("another Doorward is already running at {0}")]
    AlreadyRunning(PathBuf),
    #[error("{path}: {why}")]
    Unsafe { path: PathBuf, why: &'static str },
    #[error("{0}: the socket's path is too long")]
    TooLong(PathBuf),
    #[error("no directory for the socket could be used")]
    NoPlace,
    #[error("{what} {path}: {source}")]
    Io {
        what: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

/// A bound socket; the lock is held for as long as this lives.
#[derive(Debug)]
pub struct Listening {
    pub listener: UnixListener,
    pub path: PathBuf,
    pub lock: File,
}

/// Binds the explicit path, or the first candidate that can be trusted.
pub fn listen(explicit: Option<&Path>) -> Result<Listening, EndpointError> {
    if let Some(path) = explicit {
        return bind(path);
    }
    let mut first = None;
    for directory in candidates() {
        match bind(&directory.join(FILE)) {
            Ok(listening) => return Ok(listening),
            Err(error @ EndpointError::AlreadyRunning(_)) => return Err(error),
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first.unwrap_or(EndpointError::NoPlace))
}

/// Connects to the explicit path, or to the first candidate that answers.
pub fn connect(explicit: Option<&Path>) -> io::Result<UnixStream> {
    if let Some(path) = explicit {
        return reach(path);
    }
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for directory in candidates() {
        match reach(&directory.join(FILE)) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The directories that may hold the socket, in order.
#[must_use]
pub fn candidates() -> Vec<PathBuf> {
    let mut list: Vec<PathBuf> = Vec::new();
    let mut add = |path: PathBuf| {
        if !list.contains(&path) {
            list.push(path);
        }
    };
    if let Some(directory) = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from)
        && directory.is_absolute()
    {
        add(directory.join("doorward"));
    }
    let uid = rustix::process::geteuid().as_raw();
    add(PathBuf::from(format!("/run/user/{uid}/doorward")));
    if let Some(base) = directories::BaseDirs::new()
        && let Some(state) = base.state_dir()
    {
        add(state.join("doorward/run"));
    }
    list
}

/// Checks that only we can have put something into this directory.
pub fn check_directory(directory: &Path) -> Result<(), EndpointError> {
    let bad = |why| EndpointError::Unsafe {
        path: directory.to_owned(),
        why,
    };
    let metadata = std::fs::symlink_metadata(directory).map_err(|source| EndpointError::Io {
        what: "look at",
        path: directory.to_owned(),
        source,
    })?;
    if metadata.file_type().is_symlink() {
        return Err(bad("the directory is a symbolic link"));
    }
    if !metadata.is_dir() {
        return Err(bad("this is not a directory"));
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(bad("the directory belongs to another user"));
    }
    if metadata.mode() & 0o077 != 0 {
        return Err(bad("other users may enter the directory"));
    }
    Ok(())
}

fn bind(path: &Path) -> Result<Listening, EndpointError> {
    let directory = parent(path);
    let failed = |what| {
        move |source: io::Error| EndpointError::Io {
            what,
            path: path.to_owned(),
            source,
        }
    };
    let temporary = directory.join(format!(".s{}", std::process::id()));
    for each in [path, &temporary] {
        if each.as_os_str().len() > LONGEST {
            return Err(EndpointError::TooLong(path.to_owned()));
        }
    }
    // The runtime directory itself is the system's to make; below it and in
    // the state directory, what we make is ours alone.
    if !directory.starts_with("/run/user") || directory.parent().is_some_and(Path::is_dir) {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(failed("make the directory of"))?;
    }
    check_directory(directory)?;

    let lock = rustix::fs::open(
        directory.join("lock"),
        OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::RUSR | Mode::WUSR,
    )
    .map_err(|error| failed("open the lock of")(error.into()))?;
    if let Err(error) = rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        return Err(if error == rustix::io::Errno::WOULDBLOCK {
            EndpointError::AlreadyRunning(path.to_owned())
        } else {
            failed("lock")(error.into())
        });
    }

    // Bound under another name and renamed over: a stale file is replaced, and
    // nobody can connect before the mode is right.
    let _ = std::fs::remove_file(&temporary);
    let listener = UnixListener::bind(&temporary).map_err(failed("bind"))?;
    rustix::fs::chmod(&temporary, Mode::RUSR | Mode::WUSR)
        .map_err(|error| failed("protect")(error.into()))?;
    std::fs::rename(&temporary, path).map_err(failed("name"))?;
    Ok(Listening {
        listener,
        path: path.to_owned(),
        lock: lock.into(),
    })
}

fn reach(path: &Path) -> io::Result<UnixStream> {
    check_directory(parent(path)).map_err(|error| match error {
        EndpointError::Io { source, .. } => source,
        other => io::Error::new(io::ErrorKind::PermissionDenied, other.to_string()),
    })?;
    let start = Instant::now();
    let stream = loop {
        match knock(path) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && start.elapsed() < BUSY => {
                std::thread::sleep(Duration::from_millis(10));
            }
            other => break other?,
        }
    };
    let server = rustix::net::sockopt::socket_peercred(&stream)?;
    if server.uid != rustix::process::geteuid() {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "the server belongs to another user",
        ));
    }
    Ok(stream)
}

/// One try that never waits: a blocking connect to a stopped server whose
/// backlog is full would wait for ever, and no signal would end it.
fn knock(path: &Path) -> io::Result<UnixStream> {
    let address = SocketAddrUnix::new(path)?;
    let socket = rustix::net::socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC | SocketFlags::NONBLOCK,
        None,
    )?;
    rustix::net::connect(&socket, &address)?;
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(false)?;
    Ok(stream)
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_second_server_is_told_that_one_is_running() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run/doorward.sock");
        let first = listen(Some(&path)).unwrap();
        connect(Some(&path)).unwrap();
        let mode = std::fs::metadata(&path).unwrap().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(matches!(
            listen(Some(&path)),
            Err(EndpointError::AlreadyRunning(_))
        ));
        drop(first);
        // The file is stale now, and is replaced.
        let _second = listen(Some(&path)).unwrap();
        connect(Some(&path)).unwrap();
    }

    #[test]
    fn a_server_that_accepts_nobody_is_given_up_soon() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run/doorward.sock");
        let _full = listen(Some(&path)).unwrap();
        let started = Instant::now();
        let mut waiting = Vec::new();
        let error = loop {
            match connect(Some(&path)) {
                Ok(stream) => waiting.push(stream),
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        assert!(started.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_directory_that_others_may_enter_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let open = directory.path().join("open");
        std::fs::create_dir(&open).unwrap();
        std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = open.join(FILE);
        assert!(matches!(
            listen(Some(&path)),
            Err(EndpointError::Unsafe { .. })
        ));
        assert!(connect(Some(&path)).is_err());
        let link = directory.path().join("link");
        std::os::unix::fs::symlink(directory.path(), &link).unwrap();
        assert!(matches!(
            listen(Some(&link.join(FILE))),
            Err(EndpointError::Unsafe { .. })
        ));
    }

    #[test]
    fn a_path_that_is_too_long_is_named_as_such() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x".repeat(120));
        assert!(matches!(
            listen(Some(&path)),
            Err(EndpointError::TooLong(_))
        ));
    }

    #[test]
    fn no_candidate_lies_under_tmp_unless_the_session_says_so() {
        for directory in candidates() {
            assert!(directory.is_absolute());
        }
    }
}
