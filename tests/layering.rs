//! Who may depend on what, walked on the real dependency graph.

use std::process::Command;

#[test]
fn crates_stay_in_their_layers() {
    let table: &[(&str, &[&str])] = &[
        (
            "doorward-core",
            &[
                "tokio",
                "tauri",
                "agent-client-protocol",
                "rusqlite",
                "rustix",
                "tracing",
            ],
        ),
        ("doorward-protocols", &["tokio", "tauri"]),
        ("doorward-socket", &["tokio", "doorward-core", "tauri"]),
        (
            "doorward-broker",
            &["tauri", "tray-icon", "notify-rust", "gtk"],
        ),
        ("doorward-tray", &["tauri", "wry", "gtk", "webkit2gtk"]),
        (
            "doorward",
            &[
                "doorward-broker",
                "doorward-core",
                "tokio",
                "rusqlite",
                "tauri",
                "gtk",
            ],
        ),
        (
            "doorward-window",
            &["doorward-broker", "rusqlite", "agent-client-protocol"],
        ),
    ];
    for (package, banned) in table {
        let output = Command::new(env!("CARGO"))
            .args([
                "tree",
                "--offline",
                "--edges",
                "normal",
                "--prefix",
                "none",
                "--format",
                "{p}",
                "-p",
                package,
            ])
            .output()
            .expect("cargo tree runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let tree = String::from_utf8_lossy(&output.stdout).into_owned();
        let reached: Vec<&str> = tree
            .lines()
            .filter_map(|line| line.split(' ').next())
            .collect();
        for name in *banned {
            assert!(!reached.contains(name), "{package} reaches {name}");
        }
    }
}
