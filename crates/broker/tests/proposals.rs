//! A file change from the hook to disk: seen in place, amended, edited elsewhere, changed meanwhile.

use doorward_broker::{Broker, Decide, Push};
use doorward_core::queue::{Refusal, Surface};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

struct Rig {
    broker: Broker,
    pushes: UnboundedReceiver<Push>,
    peer: BufReader<UnixStream>,
    folder: tempfile::TempDir,
}

impl Rig {
    /// An edit of `a.txt`, `old` to `new`, that waits.
    async fn editing(disk: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.txt");
        std::fs::write(&file, disk).expect("a file");
        let socket = folder.path().join("run/doorward.sock");
        let broker = doorward_broker::start(Some(socket))
            .await
            .expect("it starts");
        let pushes = broker.handle.subscribe(Surface::Harness);
        let stream = UnixStream::connect(&broker.socket)
            .await
            .expect("it listens");
        let mut rig = Self {
            broker,
            pushes,
            peer: BufReader::new(stream),
            folder,
        };
        let params = json!({"session_id": "s", "cwd": rig.folder.path(), "tool_name": "Edit",
            "tool_input": {"file_path": file, "old_string": "old", "new_string": "new"}});
        let line = json!({"jsonrpc": "2.0", "id": 1, "method": "hook/PermissionRequest", "params": params});
        rig.send(&line).await;
        assert!(matches!(rig.push().await, Push::Arrived { id: 1, .. }));
        rig
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("a.txt")
    }

    /// The next push but alerts, which come when they come.
    async fn push(&mut self) -> Push {
        loop {
            let push = timeout(Duration::from_secs(10), self.pushes.recv()).await;
            match push.expect("a push in time").expect("it runs") {
                Push::Alert { .. } => {}
                push => return push,
            }
        }
    }

    async fn rows(&self) -> Vec<String> {
        let detail = self.broker.handle.detail(1).await.expect("it is known");
        let hunks = detail.files.iter().flat_map(|file| &file.hunks);
        hunks
            .flat_map(|hunk| &hunk.rows)
            .map(|row| format!("{}{}", row.op, row.text))
            .collect()
    }

    fn decide(&self, revision: u32, amendment: Option<&str>) {
        let decide = Decide {
            id: 1,
            revision,
            option: "allow".into(),
            feedback: None,
            amendment: amendment.map(str::to_owned),
            answers: None,
        };
        self.broker.handle.decide(decide, Surface::Harness);
    }

    async fn send(&mut self, line: &Value) {
        let line = format!("{line}\n");
        let sent = self.peer.get_mut().write_all(line.as_bytes()).await;
        sent.expect("it reads");
    }

    async fn answer(&mut self) -> Value {
        let mut line = String::new();
        timeout(Duration::from_secs(10), self.peer.read_line(&mut line))
            .await
            .expect("an answer in time")
            .expect("it answers");
        serde_json::from_str(&line).expect("JSON")
    }

    /// The input that the hook is told to run instead.
    async fn updated_input(&mut self) -> Value {
        let line = self.answer().await;
        let decision = &line["result"]["hookSpecificOutput"]["decision"];
        assert_eq!(decision["behavior"], "allow");
        decision["updatedInput"].clone()
    }
}

#[tokio::test]
async fn an_edit_is_seen_in_place_and_goes_back_as_the_persons_text() {
    let mut rig = Rig::editing(b"1\r\nold\r\n3\r\n").await;
    assert_eq!(rig.rows().await, [" 1", "-old", "+new", " 3"]);
    rig.decide(1, Some("1\r\nmine\r\n3\r\n"));
    let input = rig.updated_input().await;
    assert_eq!(input["old_string"], "1\nold\n3\n");
    assert_eq!(input["new_string"], "1\nmine\n3\n");
    assert_eq!(input["replace_all"], false);
}

#[tokio::test]
async fn the_agent_is_told_that_the_person_changed_its_text() {
    for (amendment, told) in [(Some("1\nmine\n"), true), (None, false)] {
        let mut rig = Rig::editing(b"1\nold\n").await;
        rig.decide(1, amendment);
        let mut input = rig.updated_input().await;
        if input.is_null() {
            input = json!({"file_path": rig.file(), "old_string": "old", "new_string": "new"});
        }
        let params = json!({"session_id": "s", "tool_name": "Edit", "tool_input": input});
        let line =
            json!({"jsonrpc": "2.0", "id": 2, "method": "hook/PostToolUse", "params": params});
        rig.send(&line).await;
        let result = rig.answer().await["result"].clone();
        let said = result.pointer("/hookSpecificOutput/additionalContext");
        assert_eq!(said.is_some(), told, "{result}");
        let applied = || async {
            let detail = rig.broker.handle.detail(1).await.expect("it is known");
            detail.ended.expect("it ended").applied
        };
        assert_eq!(applied().await, Some(true));
    }
}

#[tokio::test]
async fn a_file_that_changed_meanwhile_asks_again() {
    let mut rig = Rig::editing(b"1\nold\n").await;
    std::fs::write(rig.file(), "2\nold\n").expect("a file");
    rig.decide(1, None);
    assert!(matches!(
        rig.push().await,
        Push::Changed { id: 1, revision: 2 }
    ));
    assert!(matches!(
        rig.push().await,
        Push::Refused {
            id: 1,
            why: Refusal::Stale
        }
    ));
    assert_eq!(rig.rows().await, [" 2", "-old", "+new"]);
    let detail = rig.broker.handle.detail(1).await.expect("it waits");
    assert!(detail.marks.contains(&"changed"));
    rig.decide(2, None);
    assert!(matches!(rig.push().await, Push::Settled { id: 1, .. }));
    assert_eq!(rig.updated_input().await, Value::Null);
}

#[tokio::test]
async fn a_save_in_an_editor_is_the_persons_version_and_decides_nothing() {
    let mut rig = Rig::editing(b"1\nold\n").await;
    let staged = rig.broker.handle.stage(1).await.expect("it is staged");
    assert!(staged.ends_with("a.txt"));
    assert_eq!(std::fs::read(&staged).expect("it is there"), b"1\nnew\n");
    assert_eq!(rig.broker.handle.stage(1).await.expect("again"), staged);
    // As editors save: a new file renamed over the old one.
    let beside = staged.with_extension("tmp");
    std::fs::write(&beside, "1\nmine\n").expect("written");
    std::fs::rename(&beside, &staged).expect("renamed");
    assert!(matches!(
        rig.push().await,
        Push::Changed { id: 1, revision: 2 }
    ));
    let detail = rig.broker.handle.detail(1).await.expect("it waits");
    assert!(detail.ended.is_none(), "a save decides nothing");
    let version = detail.version.expect("a version");
    assert_eq!(version.cannot_send, None);
    let texts = rig.broker.handle.texts(1).await.expect("texts");
    assert_eq!(texts.version.as_deref(), Some("1\nmine\n"));
    rig.decide(2, texts.version.as_deref());
    assert_eq!(rig.updated_input().await["new_string"], "1\nmine\n");
    assert!(gone(&staged).await, "the staged file goes with the request");
}

#[tokio::test]
async fn what_lies_there_from_an_earlier_run_goes() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("run/doorward.sock");
    let stale = folder.path().join("run/doorward.proposals/x");
    std::fs::create_dir_all(&stale).expect("a folder");
    rustix::fs::chmod(folder.path().join("run"), 0o700.into()).expect("private");
    let broker = doorward_broker::start(Some(socket))
        .await
        .expect("it starts");
    assert!(!stale.exists());
    broker.handle.shutdown().await;
}

async fn gone(path: &Path) -> bool {
    for _ in 0..100 {
        if !path.exists() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}
