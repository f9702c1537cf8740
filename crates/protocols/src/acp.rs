//! ACP v1 and v2 `session/request_permission`.
//!
//! Read from the params as JSON, not through the schema crate: that drops what it does not know. Shapes:
//! agentclientprotocol.com, "Tool calls: requesting permission"; v2 adds `title`, `description`, `subject`.

use crate::tool_calls::ToolCalls;
use crate::{Context, Incoming, Invalid, Reply, claude_hook, patch, said, text};
use doorward_core::request::*;
use doorward_core::simulate::{Operation, Tool};
use serde_json::{Map, Value, json};

mod effect;

pub fn selected(option: &str) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": option}})
}

pub fn cancelled() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}

const KINDS: &[&str] = &[
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "fetch",
    "switch_mode",
];

/// Decodes params, joined with what the connection announced.
pub fn decode(
    raw: &str,
    params: &Value,
    calls: &ToolCalls,
    context: &Context,
) -> Result<Incoming, Invalid> {
    let params = params
        .as_object()
        .ok_or_else(|| invalid("params is not an object"))?;
    let session = id(params.get("sessionId"), "sessionId")?;
    if session.is_empty() {
        return Err(invalid("sessionId is empty"));
    }
    let mut parts = Parts::default();
    let own = tool_call(params, &mut parts)?;
    let call = calls.joined(&session, &own);
    let joined = Value::Object(call.clone());
    let whole = Value::Object(params.clone());
    let tool = read_tool_call(&joined, &mut parts);
    let adapter = context
        .agent
        .as_ref()
        .map_or("", |agent| agent.name.as_str());
    let files = read_content(&joined, &tool, effect::tool(adapter, &joined), &mut parts);
    let plan = plan(&joined, &tool, &mut parts);
    let options = options(params.get("options"), &tool.kind, adapter)?;
    let (heading, prompt) = prompt_text(&whole, &tool);
    let words = words(
        &tool,
        plan.as_deref(),
        heading.as_deref(),
        prompt.into_iter().chain(parts.words),
    );
    let bare = tool.title.is_empty()
        && tool.raw_input.is_none()
        && files.is_empty()
        && tool.locations.is_empty();
    let lost =
        tool.kind == "edit" && files.is_empty() && tool.raw_input.is_none() && parts.not_shown == 0;
    let agent = context.agent.clone().unwrap_or_else(|| Agent {
        name: "Agent".into(),
        version: None,
    });
    let request = PermissionRequest {
        source: Source::Acp,
        origin: context.origin,
        agent,
        session: Session {
            id: session,
            title: None,
            cwd: context.cwd.clone(),
            parent: parent(&joined),
            branch: None,
            terminal: context.terminal.clone(),
        },
        join_failed: (bare && !parts.from_command) || lost,
        tool_call: tool,
        files,
        plan,
        question: None,
        heading,
        words,
        options,
        affordances: Affordances::default(),
        patience: context.patience,
        not_shown: parts.not_shown,
        changed: false,
        warnings: vec![],
        raw: raw.to_owned(),
    };
    Ok(Incoming {
        request,
        reply: Reply::Acp,
    })
}

#[derive(Default)]
struct Parts {
    words: Vec<String>,
    not_shown: u32,
    from_command: bool,
}

fn invalid(text: &str) -> Invalid {
    Invalid(text.to_owned())
}

/// An id is a text of at most 1 kB; it may be empty.
pub(crate) fn id(value: Option<&Value>, name: &str) -> Result<String, Invalid> {
    let id = value
        .and_then(Value::as_str)
        .ok_or_else(|| Invalid(format!("{name} is not a string")))?;
    if id.len() > 1024 {
        return Err(Invalid(format!("{name} is longer than 1024 bytes")));
    }
    Ok(id.to_owned())
}

/// v1 `toolCall`, or the tool call a v2 `subject` stands for.
fn tool_call(
    params: &Map<String, Value>,
    parts: &mut Parts,
) -> Result<Map<String, Value>, Invalid> {
    if let Some(own) = params.get("toolCall") {
        let own = own
            .as_object()
            .ok_or_else(|| invalid("toolCall is not an object"))?;
        id(own.get("toolCallId"), "toolCall.toolCallId")?;
        return Ok(own.clone());
    }
    if !params.get("title").is_some_and(Value::is_string) {
        return Err(invalid("toolCall is missing"));
    }
    let title = params["title"].clone();
    let Some(subject) = params.get("subject").filter(|subject| !subject.is_null()) else {
        return Ok(Map::from_iter([("title".to_owned(), title)]));
    };
    match (
        text(subject, "type"),
        subject.get("toolCall").and_then(Value::as_object),
    ) {
        (Some("tool_call"), Some(own)) => {
            id(own.get("toolCallId"), "subject.toolCall.toolCallId")?;
            Ok(own.clone())
        }
        (Some("command"), _) if text(subject, "command").is_some() => {
            parts.from_command = true;
            let mut own = Map::from_iter([
                ("title".to_owned(), title),
                ("kind".to_owned(), json!("execute")),
                (
                    "rawInput".to_owned(),
                    json!({"command": subject["command"], "cwd": subject.get("cwd")}),
                ),
            ]);
            own.extend(
                subject
                    .get("toolCallId")
                    .map(|id| ("toolCallId".to_owned(), id.clone())),
            );
            Ok(own)
        }
        _ => {
            parts.not_shown += 1;
            Ok(Map::from_iter([("title".to_owned(), title)]))
        }
    }
}

fn read_tool_call(call: &Value, parts: &mut Parts) -> ToolCall {
    let raw_input = call
        .get("rawInput")
        .filter(|input| !input.is_null())
        .cloned();
    let input = raw_input.as_ref();
    let kind = text(call, "kind")
        .filter(|kind| KINDS.contains(kind))
        .unwrap_or("other");
    ToolCall {
        id: text(call, "toolCallId").map(str::to_owned),
        title: text(call, "title").unwrap_or_default().to_owned(),
        kind: kind.to_owned(),
        command: input.and_then(command),
        cwd: input
            .and_then(|input| said(input, "cwd"))
            .map(str::to_owned),
        locations: locations(call, parts),
        raw_input,
    }
}

/// A command line, or an argv joined by blanks, as the common adapters send it.
fn command(input: &Value) -> Option<String> {
    match input.get("command")? {
        Value::String(line) => Some(line.clone()),
        Value::Array(argv) => {
            let words: Option<Vec<&str>> = argv.iter().map(Value::as_str).collect();
            words
                .filter(|words| !words.is_empty())
                .map(|words| words.join(" "))
        }
        _ => None,
    }
}

fn locations(call: &Value, parts: &mut Parts) -> Vec<Location> {
    let items = match call.get("locations") {
        None => return vec![],
        Some(Value::Array(items)) => items,
        Some(_) => {
            parts.not_shown += 1;
            return vec![];
        }
    };
    let read = |item: &Value| {
        let path = text(item, "path")?.to_owned();
        Some(Location {
            path,
            line: item.get("line").and_then(Value::as_u64),
        })
    };
    let shown: Vec<_> = items.iter().filter_map(read).collect();
    parts.not_shown += (items.len() - shown.len()) as u32;
    shown
}

fn read_content(
    call: &Value,
    tool_call: &ToolCall,
    tool: Tool,
    parts: &mut Parts,
) -> Vec<FileChange> {
    let items = match call.get("content") {
        None => return vec![],
        Some(Value::Array(items)) => items,
        Some(_) => {
            parts.not_shown += 1;
            return vec![];
        }
    };
    let mut files = Vec::new();
    for item in items {
        let content = item.get("content");
        match (text(item, "type"), content) {
            (Some("content"), Some(block)) if text(block, "type") == Some("text") => {
                match text(block, "text") {
                    Some(words) => parts.words.push(words.to_owned()),
                    None => parts.not_shown += 1,
                }
            }
            (Some("diff"), _) => match diff(item, tool_call, tool) {
                Some(changes) => files.extend(changes),
                None => parts.not_shown += 1,
            },
            (Some("terminal"), _) if text(item, "terminalId").is_some() => {}
            _ => parts.not_shown += 1,
        }
    }
    files
}

fn diff(item: &Value, call: &ToolCall, tool: Tool) -> Option<Vec<FileChange>> {
    let air = item
        .pointer("/_meta/jetbrains/air/diffPatch/text")
        .and_then(Value::as_str);
    let patch = item.pointer("/patch/text").and_then(Value::as_str);
    if let Some(patch) = air.or(patch) {
        return Some(
            patch::parse(patch)?
                .into_iter()
                .filter_map(patched)
                .collect(),
        );
    }
    let path = text(item, "path")?.to_owned();
    let after = text(item, "newText")?.to_owned();
    let before = match item.get("oldText") {
        None | Some(Value::Null) => None,
        Some(Value::String(before)) => Some(before.clone()),
        Some(_) => return None,
    };
    let deleted = item.pointer("/_meta/kind").and_then(Value::as_str) == Some("delete");
    // Claude's edits send the replaced part; its tool input tells, and whether all of them are meant.
    let edit = call.raw_input.as_ref().and_then(claude_hook::replace);
    let change = match before {
        Some(before) if deleted => Change::Deleted { before },
        Some(before) => match edit.filter(|edit| edit.before == before && edit.after == after) {
            Some(edit) => Change::Operation(Operation::Edit(vec![edit])),
            None => Change::Whole {
                before: Some(before),
                after,
            },
        },
        // An overwrite sends no earlier text either.
        None => Change::Operation(Operation::Write(after)),
    };
    Some(vec![FileChange::new(path, tool, change)])
}

fn patched(file: patch::Patched) -> Option<FileChange> {
    let moved_from = file
        .old_path
        .clone()
        .filter(|old| file.new_path.as_ref().is_some_and(|new| new != old));
    let change = match (&file.old_path, &file.new_path) {
        (None, Some(_)) => Change::Whole {
            before: None,
            after: side(&file, '-'),
        },
        (Some(_), None) => Change::Deleted {
            before: side(&file, '+'),
        },
        _ => Change::Patch(file.hunks.clone()),
    };
    let path = file.new_path.or(file.old_path)?;
    Some(FileChange {
        moved_from,
        ..FileChange::new(path, Tool::Unknown, change)
    })
}

/// One side of a patch: all rows but those of the other side.
fn side(file: &patch::Patched, other: char) -> String {
    let rows = file
        .hunks
        .iter()
        .flat_map(|hunk| &hunk.rows)
        .filter(|row| row.op != other);
    rows.map(|row| format!("{}\n", row.text)).collect()
}

/// The plan is in the content or in the input; then its text is no longer the agent's words.
fn plan(call: &Value, tool: &ToolCall, parts: &mut Parts) -> Option<String> {
    if tool.kind != "switch_mode" {
        return None;
    }
    let input = call
        .pointer("/rawInput/plan")
        .and_then(Value::as_str)
        .map(str::to_owned);
    let plan = input.or_else(|| (parts.words.len() == 1).then(|| parts.words[0].clone()))?;
    parts.words.retain(|words| words.trim() != plan.trim());
    (!plan.trim().is_empty()).then_some(plan)
}

fn options(value: Option<&Value>, kind: &str, adapter: &str) -> Result<Options, Invalid> {
    let items = value
        .and_then(Value::as_array)
        .ok_or_else(|| invalid("options is not an array"))?;
    let read = |item: &Value| {
        // Opaque and, unlike the other ids, never a key of ours: any text goes.
        let id = text(item, "optionId")
            .ok_or_else(|| invalid("optionId is not a string"))?
            .to_owned();
        let name = text(item, "name")
            .ok_or_else(|| invalid("an option has no name"))?
            .to_owned();
        let option_kind = OptionKind::parse(text(item, "kind").unwrap_or_default());
        let described = item
            .pointer("/_meta/permission")
            .filter(|meta| version_1(meta));
        let description = said(item, "description")
            .or_else(|| described.and_then(|meta| said(meta, "description")));
        let known = effect::of(adapter, kind, &id, &option_kind);
        Ok(Choice {
            lasts: option_kind.lasts(),
            elevates: known.elevates,
            effect: known.text.map(str::to_owned),
            description: description.map(str::to_owned),
            id,
            name,
            kind: option_kind,
        })
    };
    let choices: Result<Vec<_>, Invalid> = items.iter().map(read).collect();
    Options::new(choices?).map_err(|error| Invalid(error.to_string()))
}

fn version_1(meta: &Value) -> bool {
    meta.get("version").and_then(Value::as_u64) == Some(1)
}

/// Prompt text by v2, then AIR, then `_meta.permission`; only version 1 is known.
fn prompt_text(params: &Value, tool: &ToolCall) -> (Option<String>, Vec<String>) {
    let metas = ["/_meta/jetbrains/air/permission", "/_meta/permission"];
    let v2 = params.get("toolCall").is_none().then_some(params);
    let meta = metas
        .iter()
        .filter_map(|path| params.pointer(path))
        .filter(|meta| version_1(meta));
    let sources: Vec<&Value> = v2.into_iter().chain(meta).collect();
    let title = sources.iter().find_map(|source| said(source, "title"));
    let description = sources
        .iter()
        .find_map(|source| said(source, "description"))
        .map(str::to_owned);
    let plan_heading = title
        .filter(|_| tool.kind == "switch_mode")
        .map(str::to_owned);
    let other_title = title.filter(|_| plan_heading.is_none()).map(str::to_owned);
    (
        plan_heading,
        other_title.into_iter().chain(description).collect(),
    )
}

/// The agent's words, once each, without what the card shows already.
fn words(
    tool: &ToolCall,
    plan: Option<&str>,
    heading: Option<&str>,
    more: impl Iterator<Item = String>,
) -> Vec<String> {
    let described = tool
        .raw_input
        .as_ref()
        .and_then(|input| said(input, "description"))
        .map(str::to_owned);
    let shown = [
        tool.command.as_deref(),
        Some(tool.title.as_str()),
        plan,
        heading,
    ];
    let mut words: Vec<String> = Vec::new();
    for text in more.chain(described) {
        let text = text.trim().to_owned();
        let known = shown.iter().flatten().any(|shown| shown.trim() == text);
        if !text.is_empty() && !known && !words.contains(&text) {
            words.push(text);
        }
    }
    words
}

fn parent(call: &Value) -> Option<String> {
    call.pointer("/_meta/claudeCode/parentToolUseId")
        .and_then(Value::as_str)
        .map(str::to_owned)
}

#[cfg(test)]
mod tests;
