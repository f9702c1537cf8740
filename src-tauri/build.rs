//! Makes the window's own commands permissions, so that a webview may call nothing that no capability names.

fn main() {
    let commands = tauri_build::AppManifest::new().commands(&[
        "snapshot", "detail", "shown", "opened", "draft", "texts", "version", "edit", "check",
        "decide", "abstain", "ready",
    ]);
    let attributes = tauri_build::Attributes::new().app_manifest(commands);
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo::error={error:#}");
    }
}
