//! What is known of an option's effect, by adapter. Never by name or pattern: unknown stays unknown.

use doorward_core::request::OptionKind;
use doorward_core::simulate::Tool;
use serde_json::Value;

pub(super) struct Known {
    pub text: Option<&'static str>,
    pub elevates: bool,
}

/// On a mode switch an allow whose effect is unknown counts as elevating.
pub(super) fn of(adapter: &str, tool_kind: &str, id: &str, kind: &OptionKind) -> Known {
    let text = match adapter {
        "@agentclientprotocol/claude-agent-acp" => claude(tool_kind, id),
        "@agentclientprotocol/codex-acp" => codex(id),
        _ => None,
    };
    let supervised = matches!(
        id,
        "exit-plan-default" | "default" | "implement_plan" | "plan" | "revise_plan"
    );
    let elevates = tool_kind == "switch_mode" && !kind.rejects() && !supervised;
    Known { text, elevates }
}

fn claude(tool_kind: &str, id: &str) -> Option<&'static str> {
    Some(match (tool_kind, id) {
        (_, "allow-once") => "Nothing is saved.",
        ("switch_mode", "reject") => "Stops the turn; Claude waits for you.",
        (_, "reject") => "The turn goes on.",
        (_, "exit-plan-default") => "Keeps asking.",
        (_, "exit-plan-accept-edits") => "Edits no longer ask.",
        (_, "exit-plan-auto") => "A model decides what asks.",
        (_, "exit-plan-bypass") => "Nothing asks any more.",
        (_, "exit-plan-clear-accept-edits") => "Clears the context; edits no longer ask.",
        (_, "exit-plan-clear-auto") => "Clears the context; a model decides what asks.",
        (_, "exit-plan-clear-bypass") => "Clears the context; nothing asks any more.",
        _ => return None,
    })
}

fn codex(id: &str) -> Option<&'static str> {
    Some(match id {
        "allow_once" => "Nothing is saved.",
        "decline" => "The turn goes on.",
        "cancel" => "Stops the turn; Codex waits for you.",
        _ => return None,
    })
}

/// How the agent behind the adapter treats files, where that was measured.
pub(super) fn tool(adapter: &str, call: &Value) -> Tool {
    let claude =
        adapter.contains("claude-agent-acp") || call.pointer("/_meta/claudeCode").is_some();
    if claude { Tool::Claude } else { Tool::Unknown }
}
