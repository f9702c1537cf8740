//! What a connection told of its sessions: where each works, its title, whose child it is.

use doorward_core::request::PermissionRequest;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};

/// The oldest is forgotten: an agent may begin sessions without end.
const KEPT: usize = 1024;
/// A title is a line on a card.
const TITLE: usize = 1024;

#[derive(Default)]
pub struct Sessions {
    known: HashMap<String, Session>,
    order: VecDeque<String>,
    /// Something was missed, and nobody knows whose it was.
    missed: bool,
}

#[derive(Default)]
struct Session {
    cwd: Option<String>,
    title: Option<String>,
    parent: Option<String>,
    missed: bool,
}

impl Sessions {
    /// `doorward/session`: `sessionId`, and `cwd` as the editor gave it.
    pub fn place(&mut self, params: &Value) -> Option<String> {
        let session = id(params)?;
        let cwd = params.get("cwd").and_then(Value::as_str)?;
        self.get(session)?.cwd = Some(cwd.to_owned());
        Some(session.to_owned())
    }

    /// `doorward/missed`: updates of the session did not arrive; without one, of any.
    pub fn missed(&mut self, params: &Value) {
        match id(params) {
            Some(session) => {
                if let Some(known) = self.get(session) {
                    known.missed = true;
                }
            }
            None => self.missed = true,
        }
    }

    /// `session/update`: the session of which a card now says something else.
    pub fn update(&mut self, params: &Value) -> Option<String> {
        let session = id(params)?;
        let update = params.get("update")?;
        match update.get("sessionUpdate")?.as_str()? {
            "session_info_update" => {
                let title = update.get("title")?.as_str()?;
                let end = title.floor_char_boundary(TITLE);
                self.get(session)?.title = Some(title[..end].to_owned());
                Some(session.to_owned())
            }
            "subagent_update" => {
                let child = id(update).filter(|child| *child != session)?;
                self.get(child)?.parent = Some(session.to_owned());
                Some(child.to_owned())
            }
            _ => None,
        }
    }

    /// Says in a request what is known of its session.
    pub fn fill(&self, request: &mut PermissionRequest) {
        let of = &mut request.session;
        let known = self.known.get(&of.id);
        of.title = known.and_then(|it| it.title.clone()).or(of.title.take());
        of.parent = known.and_then(|it| it.parent.clone()).or(of.parent.take());
        let missed = self.missed || known.is_some_and(|it| it.missed);
        // A child works where its parent does, unless it said otherwise.
        let cwd = self.line(&of.id).into_iter().find_map(|it| it.cwd.clone());
        of.cwd = cwd.or(of.cwd.take());
        request.join_failed |= missed;
    }

    /// Whether `session` is `ancestor`, or was started by it.
    pub fn within(&self, session: &str, ancestor: &str) -> bool {
        session == ancestor
            || self
                .line(session)
                .iter()
                .any(|it| it.parent.as_deref() == Some(ancestor))
    }

    /// All sessions that are `ancestor` or were started by it, and have told anything.
    pub fn family(&self, ancestor: &str) -> Vec<String> {
        let others = self.known.keys().filter(|it| *it != ancestor);
        let children = others.filter(|it| self.within(it, ancestor)).cloned();
        [ancestor.to_owned()].into_iter().chain(children).collect()
    }

    /// The session, its parent, and so on. A circle ends, too.
    fn line(&self, session: &str) -> Vec<&Session> {
        let mut line: Vec<&Session> = Vec::new();
        let mut next = self.known.get(session);
        while let Some(known) = next.filter(|it| !line.iter().any(|seen| std::ptr::eq(*seen, *it)))
        {
            line.push(known);
            next = known.parent.as_ref().and_then(|id| self.known.get(id));
        }
        line
    }

    fn get(&mut self, session: &str) -> Option<&mut Session> {
        if session.len() > doorward_socket::limits::ID_BYTES {
            return None;
        }
        if !self.known.contains_key(session) {
            if self.order.len() == KEPT
                && let Some(oldest) = self.order.pop_front()
            {
                self.known.remove(&oldest);
            }
            self.order.push_back(session.to_owned());
        }
        Some(self.known.entry(session.to_owned()).or_default())
    }
}

fn id(params: &Value) -> Option<&str> {
    params.get("sessionId").and_then(Value::as_str)
}
