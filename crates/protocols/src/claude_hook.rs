//! Claude Code's `PermissionRequest` hook, and the events that retire its card.
//!
//! The hook offers no options: ours, with their exact replies, are a fixed table. A plain allow is ignored
//! by Claude for ExitPlanMode: it needs `updatedInput` (measured with 2.1.328).

use crate::{Context, Incoming, Invalid, Reply, said, text};
use doorward_core::request::*;
use doorward_core::simulate::{Operation, Replace, Tool};
use serde_json::{Value, json};

mod question;
mod suggestions;

/// What a reply echoes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ask {
    plan_input: Option<Value>,
    /// The input of AskUserQuestion, whose options are its own.
    questions: Option<Value>,
    suggestions: Option<Value>,
    /// The tool's input, where it may go back changed.
    input: Option<Value>,
}

impl Ask {
    /// The JSON for the hook's stdout. Nothing for what was not offered or cannot be carried.
    pub fn selected(&self, option: &str, carried: &Carried) -> Option<Value> {
        let feedback = carried.feedback.as_deref().filter(|text| !text.is_empty());
        if let Some(input) = &self.questions {
            return question::selected(option, input, feedback, carried.answers.as_ref())
                .map(decided);
        }
        let mut decision = match (option, &self.plan_input) {
            ("deny", _) => match feedback {
                Some(message) => json!({"behavior": "deny", "message": message}),
                None => json!({"behavior": "deny"}),
            },
            ("allow", None) => json!({"behavior": "allow"}),
            ("allow:suggestion:0", None) => {
                json!({"behavior": "allow", "updatedPermissions": self.suggestions.clone()?})
            }
            ("allow:mode:default" | "allow:mode:acceptEdits", Some(input)) => {
                let mode = option.rsplit(':').next()?;
                json!({"behavior": "allow", "updatedInput": input,
                    "updatedPermissions": [{"type": "setMode", "mode": mode, "destination": "session"}]})
            }
            _ => return None,
        };
        if let Some(operation) = &carried.amendment {
            decision["updatedInput"] = amended(self.input.clone()?, operation)?;
        }
        Some(decided(decision))
    }
}

fn decided(decision: Value) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}})
}

/// The tool's input with another operation in it; whatever else it holds stays.
fn amended(mut input: Value, operation: &Operation) -> Option<Value> {
    match operation {
        Operation::Write(content) => input["content"] = json!(content),
        Operation::Edit(edits) => {
            let [edit] = edits.as_slice() else {
                return None;
            };
            let pair = json!({"old_string": edit.before, "new_string": edit.after, "replace_all": edit.all});
            match input.get_mut("edits") {
                Some(edits) => *edits = json!([pair]),
                None => input.as_object_mut()?.extend(pair.as_object()?.clone()),
            }
        }
    }
    Some(input)
}

/// `None`: questions that cannot be drawn whole make no card; the hook stays silent.
pub fn decode(raw: &str, params: &Value, context: &Context) -> Result<Option<Incoming>, Invalid> {
    let tool =
        said(params, "tool_name").ok_or_else(|| Invalid("tool_name is not a string".into()))?;
    let session =
        said(params, "session_id").ok_or_else(|| Invalid("session_id is not a string".into()))?;
    if session.len() > 1024 {
        return Err(Invalid("session_id is longer than 1024 bytes".into()));
    }
    let input = params
        .get("tool_input")
        .ok_or_else(|| Invalid("tool_input is missing".into()))?;
    let question = match tool {
        "AskUserQuestion" => match question::form(input) {
            None => return Ok(None),
            form => form,
        },
        _ => None,
    };
    let plan = said(input, "plan").filter(|_| tool == "ExitPlanMode");
    let (mut ask, options) = match question {
        None => options(tool, input, params),
        Some(_) => (
            Ask {
                questions: Some(input.clone()),
                ..Ask::default()
            },
            crate::question_options(),
        ),
    };
    let files = files(tool, input);
    ask.input = (!files.is_empty()).then(|| input.clone());
    let cwd = said(params, "cwd")
        .or(context.cwd.as_deref())
        .map(str::to_owned);
    let request = PermissionRequest {
        source: Source::ClaudeHook,
        origin: context.origin,
        agent: context.agent.clone().unwrap_or_else(|| Agent {
            name: "Claude Code".into(),
            version: None,
        }),
        session: Session {
            id: session.to_owned(),
            title: None,
            cwd,
            parent: text(params, "agent_id").map(str::to_owned),
            branch: None,
            terminal: context.terminal.clone(),
        },
        tool_call: tool_call(tool, input),
        affordances: Affordances {
            feedback: true,
            amend: !files.is_empty(),
        },
        files,
        plan: plan.map(str::to_owned),
        question,
        heading: None,
        words: said(input, "description")
            .map(str::to_owned)
            .into_iter()
            .collect(),
        options,
        patience: context.patience,
        not_shown: 0,
        join_failed: false,
        changed: false,
        warnings: vec![],
        raw: raw.to_owned(),
    };
    Ok(Some(Incoming {
        request,
        reply: Reply::ClaudeHook(Box::new(ask)),
    }))
}

fn tool_call(tool: &str, input: &Value) -> ToolCall {
    let kind = match tool {
        "Bash" | "PowerShell" => "execute",
        "Read" | "NotebookRead" => "read",
        "Glob" | "Grep" => "search",
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => "edit",
        "WebFetch" | "WebSearch" => "fetch",
        "ExitPlanMode" => "switch_mode",
        _ => "other",
    };
    let command = text(input, "command")
        .filter(|_| kind == "execute")
        .map(str::to_owned);
    let path = ["file_path", "notebook_path", "path"]
        .iter()
        .find_map(|key| said(input, key))
        .map(str::to_owned);
    let title = command
        .clone()
        .or_else(|| path.clone())
        .unwrap_or_else(|| tool.to_owned());
    let locations = path
        .into_iter()
        .map(|path| Location { path, line: None })
        .collect();
    ToolCall {
        id: None,
        title,
        kind: kind.into(),
        command,
        cwd: None,
        locations,
        raw_input: Some(input.clone()),
    }
}

fn files(tool: &str, input: &Value) -> Vec<FileChange> {
    let Some(path) = text(input, "file_path") else {
        return vec![];
    };
    let change =
        |operation| FileChange::new(path.to_owned(), Tool::Claude, Change::Operation(operation));
    operation(tool, input).map(change).into_iter().collect()
}

/// What a tool's input means for its file.
pub fn operation(tool: &str, input: &Value) -> Option<Operation> {
    match tool {
        "Write" => text(input, "content").map(|content| Operation::Write(content.to_owned())),
        "Edit" => replace(input).map(|edit| Operation::Edit(vec![edit])),
        "MultiEdit" => edits(input).map(Operation::Edit),
        _ => None,
    }
}

/// None unless every edit is understood: a part of them would be another change.
fn edits(input: &Value) -> Option<Vec<Replace>> {
    input
        .get("edits")?
        .as_array()?
        .iter()
        .map(replace)
        .collect()
}

/// `old_string`, `new_string` and `replace_all` of Claude's edits.
pub(crate) fn replace(input: &Value) -> Option<Replace> {
    Some(Replace {
        before: text(input, "old_string")?.to_owned(),
        after: text(input, "new_string")?.to_owned(),
        all: input.get("replace_all").and_then(Value::as_bool) == Some(true),
    })
}

fn options(tool: &str, input: &Value, params: &Value) -> (Ask, Options) {
    let choice = |id: &str, name: &str, kind: OptionKind, effect: &str, elevates: bool| Choice {
        id: id.into(),
        name: name.into(),
        lasts: kind.lasts(),
        kind,
        description: None,
        effect: Some(effect.to_owned()),
        elevates,
    };
    let deny = |effect| choice("deny", "Reject", OptionKind::RejectOnce, effect, false);
    let (ask, choices) = if tool == "ExitPlanMode" {
        let plan_input =
            text(input, "plan").map_or_else(|| json!({}), |plan| json!({"plan": plan}));
        let ask = Ask {
            plan_input: Some(plan_input),
            ..Ask::default()
        };
        let default = choice(
            "allow:mode:default",
            "Leave plan mode, keep asking",
            OptionKind::AllowOnce,
            "Keeps asking.",
            false,
        );
        let edits = choice(
            "allow:mode:acceptEdits",
            "Leave plan mode, edits no longer ask",
            OptionKind::AllowAlways,
            "Edits no longer ask.",
            true,
        );
        (ask, vec![default, edits, deny("Claude keeps planning.")])
    } else {
        let described = suggestions::described(params.get("permission_suggestions"));
        let suggestions = described
            .is_some()
            .then(|| params["permission_suggestions"].clone());
        let keep = described.map(|said| {
            choice(
                "allow:suggestion:0",
                "Allow and keep",
                OptionKind::AllowAlways,
                &said.effect,
                said.elevates,
            )
        });
        let allow = choice(
            "allow",
            "Allow",
            OptionKind::AllowOnce,
            "Nothing is saved.",
            false,
        );
        let choices = [Some(allow), keep, Some(deny("The turn goes on."))];
        (
            Ask {
                suggestions,
                ..Ask::default()
            },
            choices.into_iter().flatten().collect(),
        )
    };
    (
        ask,
        Options::new(choices).expect("the table above has different ids"),
    )
}

#[cfg(test)]
mod tests;
