//! `permission_suggestions` in words: the whole effect, or nothing is offered.

use crate::text;
use serde_json::Value;

pub(super) struct Described {
    pub effect: String,
    pub elevates: bool,
}

/// `None` when the array is empty or any part of it is not understood.
pub(super) fn described(value: Option<&Value>) -> Option<Described> {
    let items = value?.as_array().filter(|items| !items.is_empty())?;
    let sentences: Option<Vec<String>> = items.iter().map(sentence).collect();
    let elevates = items.iter().any(|item| {
        text(item, "type") == Some("setMode")
            && !matches!(text(item, "mode"), Some("default" | "plan"))
    });
    Some(Described {
        effect: sentences?.join(" "),
        elevates,
    })
}

fn sentence(item: &Value) -> Option<String> {
    let place = place(text(item, "destination")?)?;
    match text(item, "type")? {
        "addRules" => {
            let behavior = text(item, "behavior")?;
            let rules: Option<Vec<String>> =
                item.get("rules")?.as_array()?.iter().map(rule).collect();
            Some(format!(
                "Rules to {behavior} in {place}: {}.",
                rules?.join(", ")
            ))
        }
        "addDirectories" => {
            let folders: Option<Vec<&str>> = item
                .get("directories")?
                .as_array()?
                .iter()
                .map(Value::as_str)
                .collect();
            Some(format!("Adds folders in {place}: {}.", folders?.join(", ")))
        }
        "setMode" => Some(match text(item, "mode")? {
            "acceptEdits" => format!("Edits no longer ask, in {place}."),
            "default" => format!("Keeps asking, in {place}."),
            mode => format!("Switches to the mode {mode}, in {place}."),
        }),
        _ => None,
    }
}

fn rule(rule: &Value) -> Option<String> {
    let tool = text(rule, "toolName")?;
    match rule.get("ruleContent") {
        None | Some(Value::Null) => Some(format!("every use of {tool}")),
        Some(content) => Some(format!("{tool}({})", content.as_str()?)),
    }
}

fn place(destination: &str) -> Option<&'static str> {
    Some(match destination {
        "session" => "this session",
        "localSettings" => ".claude/settings.local.json, until removed",
        "projectSettings" => ".claude/settings.json, until removed",
        "userSettings" => "your user settings, until removed",
        _ => return None,
    })
}
