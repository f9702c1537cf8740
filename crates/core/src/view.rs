//! What a person sees: rows and details, made from requests. Window, tray, harness and tests share it.
//!
//! Strings have passed `visible()`, except ids, `rawInput` and `raw`.

use crate::diff::{self, Hunk};
use crate::plan::{self, Block};
use crate::question::{Answers, FieldError, QuestionView};
use crate::queue::{Ended, Entry, Millis, RequestId};
use crate::request::*;
use crate::shown::{FileView, Fold, Shown, show, shown_hunk};
use crate::simulate::Text;
use serde::Serialize;
use serde_json::Value;

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Row {
    pub id: u32,
    pub revision: u32,
    pub source: Source,
    pub agent: String,
    pub project: Option<String>,
    pub session: Session,
    pub heading: String,
    /// One line: the command, the path or the title.
    pub fact: String,
    pub kind: String,
    /// A form: it leads to the window, or back.
    pub question: bool,
    pub marks: Vec<&'static str>,
    /// Whether something must be opened before an allow.
    pub folded: bool,
    pub arrived_ms: Millis,
    pub deadline_ms: Option<Millis>,
    pub ended: Option<Ended>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Detail {
    pub source: Source,
    pub origin: Origin,
    pub agent: Agent,
    pub session: Session,
    pub heading: String,
    pub tool_call: ToolCallView,
    /// The machine's fact whole; none where files, a plan or a question are the fact.
    pub fact: Option<String>,
    pub files: Vec<FileView>,
    pub plan: Option<String>,
    pub plan_blocks: Vec<Block>,
    /// From the session's previous plan to this one; null where there was none, empty if they are equal.
    pub plan_change: Option<Vec<Hunk>>,
    pub question: Option<QuestionView>,
    pub words: Vec<String>,
    /// Doorward's own words about the requester; the agent's are `words`.
    pub warnings: Vec<String>,
    pub options: Vec<OptionView>,
    pub affordances: Affordances,
    pub marks: Vec<&'static str>,
    pub not_shown: u32,
    pub folds: Vec<Fold>,
    /// Keys of the folds that were opened.
    pub opened: Vec<String>,
    /// What the person has typed so far; of a question `{"answers": {…}, "feedback"?}` as JSON, without secrets.
    pub draft: Option<String>,
    /// The person's version of the one file that may be amended.
    pub version: Option<VersionView>,
    pub raw: String,
    pub arrived_ms: Millis,
    /// When it is handed back, undecided.
    pub deadline_ms: Option<Millis>,
    pub protect_ms: Millis,
    pub ended: Option<Ended>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct ToolCallView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub title: String,
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    pub locations: Vec<Location>,
    pub raw_input: Option<Value>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct VersionView {
    /// From the file on disk to this version.
    pub file: FileView,
    /// Why it cannot go back, in words.
    pub cannot_send: Option<String>,
}

/// The texts an editor works on: the file on disk, the agent's version of it, the person's.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(optional_fields = nullable))]
pub struct Texts {
    pub path: String,
    /// None for a new file.
    pub before: Option<String>,
    pub proposed: String,
    pub version: Option<String>,
}

/// Nothing where there is nothing to amend, or where it is not text.
pub fn texts(entry: &Entry) -> Option<Texts> {
    let file = entry.amendable()?;
    let text = |bytes: &[u8]| Some(Text::read(bytes).ok()?.text().to_owned());
    Some(Texts {
        path: show(&file.path),
        before: match file.disk()? {
            Some(bytes) => Some(text(bytes)?),
            None => None,
        },
        proposed: text(&file.outcome()?.ok()?)?,
        version: entry
            .version
            .as_ref()
            .and_then(|version| text(version.bytes())),
    })
}

/// What is wrong with answers to a question; nothing where they may go back, or where nothing is asked.
pub fn check(entry: &Entry, answers: &Answers) -> Vec<FieldError> {
    let question = entry.request.question.as_ref();
    let checked = question.map(|question| question.validate(answers));
    checked.and_then(Result::err).unwrap_or_default()
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(optional_fields = nullable))]
pub struct OptionView {
    pub id: String,
    pub name: String,
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    pub lasts: bool,
    pub elevates: bool,
}

/// How long a surface ignores input after a request appeared or changed.
pub fn protection(shown: &Shown) -> Millis {
    if shown.marked() { 1000 } else { 500 }
}

pub fn row(id: RequestId, entry: &Entry) -> Row {
    let request = &entry.request;
    Row {
        id: id.0,
        revision: entry.revision,
        source: request.source,
        agent: show(&request.agent.name),
        project: request
            .session
            .cwd
            .as_deref()
            .map(|cwd| show(base_name(cwd))),
        session: session(&request.session),
        heading: heading(request),
        fact: one_line(&fact(request)),
        kind: request.tool_call.kind.clone(),
        question: request.question.is_some(),
        marks: entry.shown.marks.clone(),
        folded: !entry.shown.folds.is_empty(),
        arrived_ms: entry.arrived,
        deadline_ms: entry.deadline(),
        ended: entry.ended.clone(),
    }
}

pub fn detail(entry: &Entry) -> Detail {
    let request = &entry.request;
    let call = &request.tool_call;
    Detail {
        source: request.source,
        origin: request.origin,
        agent: Agent {
            name: show(&request.agent.name),
            version: request.agent.version.as_deref().map(show),
        },
        session: session(&request.session),
        heading: heading(request),
        tool_call: ToolCallView {
            id: call.id.clone(),
            title: show(&call.title),
            kind: call.kind.clone(),
            command: call.command.as_deref().map(show),
            cwd: call.cwd.as_deref().map(show),
            locations: call
                .locations
                .iter()
                .map(|location| Location {
                    path: show(&location.path),
                    line: location.line,
                })
                .collect(),
            raw_input: call.raw_input.clone(),
        },
        fact: entry.shown.fact.clone(),
        files: entry.shown.files.clone(),
        plan: request.plan.as_deref().map(show),
        plan_blocks: request
            .plan
            .as_deref()
            .map(plan::blocks)
            .unwrap_or_default(),
        plan_change: plan_change(entry),
        question: request.question.as_ref().map(QuestionView::from),
        words: request.words.iter().map(|text| show(text)).collect(),
        warnings: request.warnings.iter().map(|text| show(text)).collect(),
        options: request.options.iter().map(option).collect(),
        affordances: request.affordances,
        marks: entry.shown.marks.clone(),
        not_shown: request.not_shown,
        folds: entry.shown.folds.clone(),
        opened: entry.opened.iter().cloned().collect(),
        draft: entry.draft.clone(),
        version: entry.version.as_ref().map(|version| VersionView {
            file: version.file.clone(),
            cannot_send: version.cannot_send.clone(),
        }),
        raw: request.raw.clone(),
        arrived_ms: entry.arrived,
        deadline_ms: entry.deadline(),
        protect_ms: protection(&entry.shown),
        ended: entry.ended.clone(),
    }
}

fn plan_change(entry: &Entry) -> Option<Vec<Hunk>> {
    let (before, now) = (
        entry.previous_plan.as_deref()?,
        entry.request.plan.as_deref()?,
    );
    let hunks = diff::unified(before, now);
    Some(hunks.into_iter().map(shown_hunk).collect())
}

fn session(session: &Session) -> Session {
    Session {
        id: session.id.clone(),
        title: session.title.as_deref().map(show),
        cwd: session.cwd.as_deref().map(show),
        parent: session.parent.clone(),
        branch: session.branch.as_deref().map(show),
        terminal: session.terminal.as_deref().map(show),
    }
}

fn option(choice: &Choice) -> OptionView {
    OptionView {
        id: choice.id.clone(),
        name: show(&choice.name),
        kind: choice.kind.as_str().to_owned(),
        description: choice.description.as_deref().map(show),
        effect: choice.effect.as_deref().map(show),
        lasts: choice.lasts,
        elevates: choice.elevates,
    }
}

/// What is asked, in our words; one heading a card.
fn heading(request: &PermissionRequest) -> String {
    if let Some(heading) = &request.heading {
        return show(heading);
    }
    if let Some(question) = &request.question {
        let agent = one_line(&show(&request.agent.name));
        return match question.fields.len() {
            0 | 1 => format!("{agent} asks a question"),
            count => format!("{agent} asks {count} questions"),
        };
    }
    let call = &request.tool_call;
    let target = || one_line(&show(base_name(&first_path(request).unwrap_or_default())));
    match call.kind.as_str() {
        "execute" => "Run a command".to_owned(),
        "edit" if request.files.len() > 1 => format!("Edit {} files", request.files.len()),
        "edit" if first_path(request).is_some() => format!("Edit {}", target()),
        "delete" if first_path(request).is_some() => format!("Delete {}", target()),
        "move" if first_path(request).is_some() => format!("Move {}", target()),
        "read" if first_path(request).is_some() => format!("Read {}", target()),
        // An adapter words its own question; a hook sends the tool's name.
        "switch_mode" if request.source == Source::Acp && !call.title.trim().is_empty() => {
            one_line(&show(&call.title))
        }
        "switch_mode" => "Leave plan mode".to_owned(),
        "fetch" | "search" if !call.title.is_empty() => one_line(&show(&call.title)),
        _ if call.command.is_some() => "Run a command".to_owned(),
        _ => format!("Something else: {}", one_line(&show(&call.title))),
    }
}

/// The fact a row shows: the command, the path, or else the title.
fn fact(request: &PermissionRequest) -> String {
    let call = &request.tool_call;
    if let Some(question) = &request.question {
        let first = question.fields.first().map(|field| &field.title);
        // Where each field is a question of its own, the words over them say little.
        let message = Some(&question.message);
        let message = message.filter(|it| !it.trim().is_empty() && !question.needs_one);
        return message.or(first).map(|text| show(text)).unwrap_or_default();
    }
    let plan_line = request
        .plan
        .as_deref()
        .and_then(|plan| plan.lines().find(|line| !line.trim().is_empty()));
    call.command
        .as_deref()
        .map(show)
        .or_else(|| {
            plan_line.map(|line| format!("Plan: {}", show(line.trim_start_matches(['#', ' ']))))
        })
        .or_else(|| first_path(request).map(|path| show(&path)))
        .unwrap_or_else(|| show(&call.title))
}

fn first_path(request: &PermissionRequest) -> Option<String> {
    let file = request.files.first().map(|file| file.path.clone());
    file.or_else(|| {
        request
            .tool_call
            .locations
            .first()
            .map(|location| location.path.clone())
    })
}

fn base_name(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit('/')
        .next()
        .filter(|name| !name.is_empty())
        .unwrap_or(path)
}

/// A row has one line: breaks become a visible sign, and what follows is cut after 300 characters.
fn one_line(text: &str) -> String {
    let line = text.trim_end().replace('\n', " ⏎ ").replace('\t', " ");
    match line.char_indices().nth(300) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::shown::Prepared;
    use crate::simulate::{Operation, Tool};

    pub(crate) fn request(command: &str) -> PermissionRequest {
        let choice = |id: &str, kind| Choice {
            id: id.into(),
            name: id.into(),
            kind,
            description: None,
            effect: None,
            lasts: false,
            elevates: false,
        };
        PermissionRequest {
            source: Source::Acp,
            origin: Origin::Local,
            agent: Agent {
                name: "Agent".into(),
                version: None,
            },
            session: Session {
                id: "s".into(),
                cwd: Some("/w/acme".into()),
                ..Session::default()
            },
            tool_call: ToolCall {
                title: command.into(),
                kind: "execute".into(),
                command: Some(command.into()),
                ..ToolCall::default()
            },
            files: vec![],
            plan: None,
            question: None,
            heading: None,
            words: vec![],
            options: Options::new(vec![
                choice("a", OptionKind::AllowOnce),
                choice("r", OptionKind::RejectOnce),
            ])
            .expect("two different ids"),
            affordances: Affordances::default(),
            patience: None,
            not_shown: 0,
            join_failed: false,
            changed: false,
            warnings: vec![],
            raw: String::new(),
        }
    }

    fn entry(request: PermissionRequest) -> Entry {
        Entry::new(Prepared::new(request), 0)
    }

    #[test]
    fn an_unknown_earlier_text_is_shown_as_a_new_file_without_old_lines() {
        let mut request = request("");
        let change = Change::Operation(Operation::Write("hello\n".into()));
        request.files = vec![FileChange::new(
            "/w/acme/n.txt".into(),
            Tool::Claude,
            change,
        )];
        let detail = detail(&entry(request));
        assert_eq!(detail.files[0].status, "added");
        assert_eq!(detail.files[0].hunks[0].rows.len(), 1);
        assert!(
            detail.files[0].hunks[0]
                .rows
                .iter()
                .all(|row| row.op == '+')
        );
    }

    #[test]
    fn hidden_characters_are_seen_and_marked() {
        let detail = detail(&entry(request("ls \u{202e}txt.exe")));
        assert_eq!(
            detail.tool_call.command.as_deref(),
            Some("ls [U+202E]txt.exe")
        );
        assert!(detail.marks.contains(&"hidden-characters"));
        assert_eq!(detail.protect_ms, 1000);
    }

    #[test]
    fn a_row_is_one_line() {
        let row = row(RequestId(1), &entry(request("set -e\nls")));
        assert_eq!(row.fact, "set -e ⏎ ls");
        assert_eq!(row.project.as_deref(), Some("acme"));
    }
}
