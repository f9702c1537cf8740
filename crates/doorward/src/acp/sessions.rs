//! What Doorward has to know of each session to understand its questions, as
//! the agent's own text: it is told again after a lost connection, and what it
//! was too slow for is told when it reads again.

use std::collections::{HashMap, VecDeque};

use super::update::{About, Update};

/// Above this, the oldest lines of a session are dropped and the session is marked.
const LINES: usize = 1 << 20;
/// More sessions than this at a time are none of a person's.
const SESSIONS: usize = 256;

#[derive(Debug, Default)]
pub struct Sessions {
    known: HashMap<String, Session>,
    order: VecDeque<String>,
}

#[derive(Debug, Default)]
struct Session {
    /// Where it works.
    place: Option<String>,
    title: Option<String>,
    /// The update of its parent that named it.
    named: Option<String>,
    parent: Option<String>,
    lines: VecDeque<Line>,
    bytes: usize,
    /// Lines were dropped, so a new Doorward cannot know all.
    dropped: bool,
    /// Lines were dropped that this Doorward has not seen.
    missed: bool,
    /// Doorward was too slow: some lines wait here.
    behind: bool,
}

#[derive(Debug)]
struct Line {
    call: String,
    params: String,
    /// The call's last; kept until it was told.
    last: bool,
}

/// How an update reached Doorward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Told,
    /// It does not keep up.
    Slow,
    Absent,
}

/// A notification: its method and its params.
pub type Told = (&'static str, String);

impl Sessions {
    /// `placed` are the members of `doorward/session`.
    pub fn place(&mut self, session: &str, placed: String) {
        self.get(session).place = Some(placed);
    }

    /// Keeps an update for a Doorward that does not have it, or loses it.
    pub fn keep(&mut self, update: Update, params: &str, reach: Reach) {
        let Update { session, about } = update;
        match about {
            About::ToolCall { id, over } => self.get(&session).line(id, params, over, reach),
            About::Title => self.get(&session).title = Some(params.to_owned()),
            About::Child(child) => {
                let known = self.get(&child);
                known.named = Some(params.to_owned());
                known.parent = Some(session.clone()).filter(|parent| *parent != child);
            }
            About::Other => self.get(&session).missed |= reach == Reach::Slow,
            About::Chatter => return,
        }
        if reach == Reach::Slow {
            self.get(&session).behind = true;
        }
    }

    #[must_use]
    pub fn behind(&self, session: &str) -> bool {
        self.known.get(session).is_some_and(|it| it.behind)
    }

    /// A session whose lines wait.
    #[must_use]
    pub fn next_behind(&self) -> Option<String> {
        let mut order = self.order.iter();
        order.find(|session| self.behind(session)).cloned()
    }

    /// Whether `session` is `ancestor`, or was started by it.
    #[must_use]
    pub fn within(&self, session: &str, ancestor: &str) -> bool {
        let mut session = session;
        // A circle ends, too.
        for _ in 0..SESSIONS {
            if session == ancestor {
                return true;
            }
            let known = self.known.get(session);
            let Some(parent) = known.and_then(|known| known.parent.as_deref()) else {
                return false;
            };
            session = parent;
        }
        false
    }

    /// All there is to tell to a Doorward that knows nothing.
    pub fn all(&mut self) -> Vec<Told> {
        let mut all = Vec::new();
        for session in self.order.clone() {
            let known = self.get(&session);
            known.missed = known.dropped;
            all.extend(known.place.clone().map(|it| ("doorward/session", it)));
            let updates = [&known.named, &known.title];
            for update in updates.into_iter().flatten() {
                all.push(("session/update", update.clone()));
            }
            all.extend(self.rest(&session));
        }
        all
    }

    /// What a slow Doorward has not been told of a session.
    pub fn rest(&mut self, session: &str) -> Vec<Told> {
        let known = self.get(session);
        known.behind = false;
        let mut rest = Vec::new();
        if std::mem::take(&mut known.missed) {
            let params = serde_json::json!({ "sessionId": session });
            rest.push(("doorward/missed", params.to_string()));
        }
        for line in &known.lines {
            rest.push(("session/update", line.params.clone()));
        }
        let over: Vec<String> = known.over().map(str::to_owned).collect();
        for call in over {
            known.forget(&call);
        }
        rest
    }

    fn get(&mut self, session: &str) -> &mut Session {
        if !self.known.contains_key(session) {
            if self.order.len() == SESSIONS
                && let Some(oldest) = self.order.pop_front()
            {
                self.known.remove(&oldest);
            }
            self.order.push_back(session.to_owned());
        }
        self.known.entry(session.to_owned()).or_default()
    }
}

impl Session {
    fn line(&mut self, call: String, params: &str, last: bool, reach: Reach) {
        if last && reach != Reach::Slow {
            return self.forget(&call);
        }
        self.bytes += params.len();
        self.lines.push_back(Line {
            call,
            params: params.to_owned(),
            last,
        });
        while self.bytes > LINES
            && let Some(line) = self.lines.pop_front()
        {
            self.bytes -= line.params.len();
            self.dropped = true;
            self.missed |= reach == Reach::Slow;
        }
    }

    fn over(&self) -> impl Iterator<Item = &str> {
        let last = self.lines.iter().filter(|line| line.last);
        last.map(|line| line.call.as_str())
    }

    fn forget(&mut self, call: &str) {
        self.lines.retain(|line| line.call != call);
        self.bytes = self.lines.iter().map(|line| line.params.len()).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(sessions: &mut Sessions, session: &str, body: &str, reach: Reach) -> String {
        let params = format!(r#"{{"sessionId":"{session}","update":{{"sessionUpdate":{body}}}}}"#);
        let update = Update::read(&params).unwrap();
        sessions.keep(update, &params, reach);
        params
    }

    fn call(id: &str, more: &str) -> String {
        format!(r#""tool_call_update","toolCallId":"{id}"{more}"#)
    }

    #[test]
    fn open_calls_are_told_again_and_ended_ones_are_not() {
        let mut sessions = Sessions::default();
        sessions.place("s", "{}".into());
        let title = keep(
            &mut sessions,
            "s",
            r#""session_info_update","title":"t""#,
            Reach::Told,
        );
        keep(&mut sessions, "s", &call("a", ""), Reach::Told);
        let open = keep(&mut sessions, "s", &call("b", ""), Reach::Told);
        keep(
            &mut sessions,
            "s",
            &call("a", r#","status":"completed""#),
            Reach::Told,
        );
        let expected = [
            ("doorward/session", "{}".to_owned()),
            ("session/update", title),
            ("session/update", open),
        ];
        assert_eq!(sessions.all(), expected);
        assert_eq!(sessions.all(), expected);
    }

    #[test]
    fn a_slow_doorward_is_told_the_rest_with_the_last_lines() {
        let mut sessions = Sessions::default();
        keep(&mut sessions, "s", &call("a", ""), Reach::Told);
        keep(
            &mut sessions,
            "s",
            &call("a", r#","title":"x""#),
            Reach::Slow,
        );
        let last = keep(
            &mut sessions,
            "s",
            &call("a", r#","status":"failed""#),
            Reach::Slow,
        );
        assert_eq!(sessions.next_behind().as_deref(), Some("s"));
        let rest = sessions.rest("s");
        assert_eq!(rest.last(), Some(&("session/update", last)));
        assert_eq!(rest.len(), 3);
        assert!(sessions.next_behind().is_none());
        assert!(sessions.rest("s").is_empty());
    }

    #[test]
    fn what_is_dropped_marks_its_session_and_no_other() {
        let mut sessions = Sessions::default();
        let long = call("a", &format!(r#","title":"{}""#, "x".repeat(LINES / 4)));
        for _ in 0..5 {
            keep(&mut sessions, "child", &long, Reach::Slow);
            keep(&mut sessions, "s", &call("b", ""), Reach::Slow);
        }
        let marked = |told: Vec<Told>| told.iter().any(|(method, _)| *method == "doorward/missed");
        assert!(!marked(sessions.rest("s")));
        let rest = sessions.rest("child");
        let bytes: usize = rest.iter().map(|(_, params)| params.len()).sum();
        assert!(bytes <= LINES + 100, "{bytes}");
        assert!(marked(rest));
        // This Doorward knows now; another would not.
        assert!(!marked(sessions.rest("child")));
        assert!(marked(sessions.all()));
    }

    #[test]
    fn children_are_within_their_parents() {
        let mut sessions = Sessions::default();
        let child = |id: &str| format!(r#""subagent_update","sessionId":"{id}""#);
        keep(&mut sessions, "p", &child("c"), Reach::Told);
        keep(&mut sessions, "c", &child("g"), Reach::Told);
        assert!(sessions.within("g", "p") && sessions.within("p", "p"));
        assert!(!sessions.within("p", "c") && !sessions.within("x", "p"));
        keep(&mut sessions, "g", &child("p"), Reach::Told);
        assert!(!sessions.within("p", "nobody"));
    }
}
