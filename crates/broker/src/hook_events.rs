//! What Claude Code's event hooks say about cards: a pending one is retired, a decided one was applied or not.
//!
//! A terminal "yes" is seen only through PostToolUse and PostToolBatch, a "no" through Stop,
//! UserPromptSubmit and SessionEnd (measured with Claude Code 2.1.328).

use doorward_core::question::ANSWER;
use doorward_core::queue::{Entry, Event, Outcome, Queue, RequestId, Why};
use doorward_core::request::Source;
use doorward_protocols::claude_hook;
use serde_json::{Value, json};

/// The events for the queue that a hook event stands for.
pub fn events(queue: &Queue, name: &str, params: &Value) -> Vec<Event> {
    let Some(session) = params.get("session_id").and_then(Value::as_str) else {
        return vec![];
    };
    let of_session = |entry: &Entry| {
        entry.request.source == Source::ClaudeHook && entry.request.session.id == session
    };
    let cards = queue.entries().filter(|(_, entry)| of_session(entry));
    match name {
        "PostToolUse" => {
            let same: Vec<_> = cards
                .filter(|(_, it)| same_call(it, params, params))
                .collect();
            // One event is one call: the one that was allowed here, else the oldest.
            let waits = |it: &&(RequestId, &Entry)| unapplied(it.1);
            let allowed = same.iter().find(waits);
            let pending = same.iter().find(|(_, it)| it.ended.is_none());
            match (allowed, pending) {
                (Some((id, _)), _) => vec![Event::Applied(*id, true)],
                (None, Some((id, _))) => vec![Event::Withdrawn(*id, Why::Retired)],
                (None, None) => vec![],
            }
        }
        "PostToolBatch" => {
            let calls: Vec<&Value> = params
                .get("tool_calls")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .collect();
            let among = |entry: &Entry| calls.iter().any(|call| same_call(entry, call, params));
            cards
                .filter(|(_, entry)| among(entry))
                .filter_map(ended_batch)
                .collect()
        }
        "Stop" | "UserPromptSubmit" | "SessionEnd" => cards
            .filter(|(_, entry)| entry.ended.is_none())
            .map(|(id, _)| Event::Withdrawn(id, Why::Retired))
            .collect(),
        _ => vec![],
    }
}

/// A batch ends after its tools: an allowed call without PostToolUse was refused by the tool.
fn ended_batch((id, entry): (RequestId, &Entry)) -> Option<Event> {
    match &entry.ended {
        None => Some(Event::Withdrawn(id, Why::Retired)),
        Some(ended) if ended.applied.is_none() && chosen(&ended.outcome) => {
            Some(Event::Applied(id, false))
        }
        Some(_) => None,
    }
}

/// Allowed here, and not known to have run. The events come in no certain order,
/// so that a batch may seem to have ended without the call.
fn unapplied(entry: &Entry) -> bool {
    let ended = entry.ended.as_ref();
    ended.is_some_and(|ended| ended.applied != Some(true) && chosen(&ended.outcome))
}

fn chosen(outcome: &Option<Outcome>) -> bool {
    matches!(outcome, Some(Outcome::Selected(id)) if id.starts_with("allow") || id == ANSWER)
}

/// Hooks carry no tool call id before the call: prompt, agent, tool and input must be equal.
fn same_call(entry: &Entry, call: &Value, event: &Value) -> bool {
    let Ok(asked) = serde_json::from_str::<Value>(&entry.request.raw) else {
        return false;
    };
    let equal = |key: &str| event.get(key).is_none() || asked.get(key) == event.get(key);
    asked.get("tool_name") == call.get("tool_name")
        && (same_input(&asked, call) || amended_input(entry, &asked, call))
        && equal("prompt_id")
        && equal("agent_id")
}

/// The call runs with the person's version of the input.
fn amended_input(entry: &Entry, asked: &Value, call: &Value) -> bool {
    let path = |value: &Value| value.pointer("/tool_input/file_path").cloned();
    let operation = || {
        let tool = call.get("tool_name")?.as_str()?;
        claude_hook::operation(tool, call.get("tool_input")?)
    };
    entry.amended.is_some()
        && path(asked) == path(call)
        && operation().map(|it| it.digest()) == entry.amended
}

/// What the agent is told after its call ran: that the person had changed it.
pub fn told(entry: &Entry) -> Option<Value> {
    let ended = entry.ended.as_ref()?;
    let path = &entry.request.files.first()?.path;
    let said = format!(
        "The user changed the content you proposed for {path} before allowing it. The file now holds \
         the user's version. Read it again before you build on it."
    );
    (ended.amended == Some(true)).then(|| {
        json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": said}})
    })
}

/// Our own answer replaces a plan's input by the plan alone; any answer to questions stands beside them.
fn same_input(asked: &Value, call: &Value) -> bool {
    let kept = match asked.get("tool_name").and_then(Value::as_str) {
        Some("ExitPlanMode") => "/tool_input/plan",
        Some("AskUserQuestion") => "/tool_input/questions",
        _ => "/tool_input",
    };
    let same = |path| asked.pointer(path).is_some() && asked.pointer(path) == call.pointer(path);
    same("/tool_input") || same(kept)
}
