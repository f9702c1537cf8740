//! The demo client: the editor's part. It starts the relay with the demo agent
//! behind it, prints what happens, and leaves the questions to Doorward.
//!
//! It never answers before `--answer-after`, so that whatever settles a request
//! came through the relay; when it does answer, it rejects.

use std::path::PathBuf;
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, InitializeRequest, NewSessionRequest, PermissionOption, PermissionOptionKind,
    PromptRequest, RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse,
    SelectedPermissionOutcome, SessionNotification, SessionUpdate, TextContent, ToolCallStatus,
};
use agent_client_protocol::{AcpAgent, AcpAgentConfig, Agent, Client, Error, RequestCancellation};
use anyhow::Context as _;

use crate::script;

/// Which programs to start, and whether to answer.
pub struct Setup {
    pub relay: PathBuf,
    pub socket: Option<PathBuf>,
    pub agent: PathBuf,
    pub answer_after: Option<u64>,
}

impl Setup {
    fn command(&self) -> anyhow::Result<AcpAgentConfig> {
        let mut config = AcpAgentConfig::new(&self.relay);
        if let Some(socket) = &self.socket {
            let socket = socket.to_str().context("the socket path is no UTF-8")?;
            config = config.arg("--socket").arg(socket);
        }
        let agent = self
            .agent
            .to_str()
            .context("the program path is no UTF-8")?;
        Ok(config.args(["acp", "--", agent, "agent"]))
    }
}

/// Plays one turn in a temporary folder.
pub async fn run(setup: Setup) -> anyhow::Result<()> {
    let folder = tempfile::Builder::new()
        .prefix("doorward-demo-")
        .tempdir()?;
    // Resolved, so that the paths in the requests are the real ones.
    let cwd = folder.path().canonicalize()?;
    script::prepare(&cwd)?;
    // An editor starts its agents in the project's folder.
    let relay = setup.relay.canonicalize().context("find the relay")?;
    let agent = setup.agent.canonicalize().context("find the demo agent")?;
    std::env::set_current_dir(&cwd).context("enter the demo folder")?;
    let setup = Setup {
        relay,
        agent,
        ..setup
    };
    println!("demo: working in {}", cwd.display());
    println!("demo: five requests follow; answer them in Doorward");
    let wait = setup.answer_after.map(Duration::from_secs);
    Client
        .v1()
        .name("doorward-demo-client")
        .on_receive_notification(
            async move |notice: SessionNotification, _connection| {
                report(&notice.update);
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest,
                        responder,
                        connection: ConnectionTo<Agent>| {
                let withdrawn = responder.cancellation();
                connection.spawn(async move {
                    responder.respond(RequestPermissionResponse::new(
                        answer(request, wait, withdrawn).await,
                    ))
                })
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_with(
            AcpAgent::new(setup.command()?),
            |connection: ConnectionTo<Agent>| turn(connection, cwd),
        )
        .await?;
    Ok(())
}

async fn turn(agent: ConnectionTo<Agent>, cwd: PathBuf) -> Result<(), Error> {
    agent
        .send_request(InitializeRequest::new(ProtocolVersion::V1))
        .block_task()
        .await?;
    let session = agent
        .send_request(NewSessionRequest::new(cwd))
        .block_task()
        .await?;
    let prompt = ContentBlock::Text(TextContent::new("Improve the greeting, and test it."));
    let response = agent
        .send_request(PromptRequest::new(session.session_id, vec![prompt]))
        .block_task()
        .await?;
    println!("demo: the turn is over ({:?})", response.stop_reason);
    Ok(())
}

/// Waits until the other side withdraws the request, or the time has come to reject.
async fn answer(
    request: RequestPermissionRequest,
    wait: Option<Duration>,
    withdrawn: RequestCancellation,
) -> RequestPermissionOutcome {
    let title = request.tool_call.fields.title.unwrap_or_default();
    println!("demo: asked: {title}");
    let time = async {
        match wait {
            Some(wait) => tokio::time::sleep(wait).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = withdrawn.cancelled() => {
            println!("demo: answered elsewhere: {title}");
            RequestPermissionOutcome::Cancelled
        }
        () = time => match reject(&request.options) {
            Some(option) => {
                println!("demo: the client answers {:?}: {title}", option.name);
                RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(
                    option.option_id.clone(),
                ))
            }
            None => RequestPermissionOutcome::Cancelled,
        },
    }
}

/// The first option that rejects.
fn reject(options: &[PermissionOption]) -> Option<&PermissionOption> {
    options.iter().find(|option| {
        matches!(
            option.kind,
            PermissionOptionKind::RejectOnce | PermissionOptionKind::RejectAlways
        )
    })
}

fn report(update: &SessionUpdate) {
    if let SessionUpdate::ToolCallUpdate(update) = update {
        match update.fields.status {
            Some(ToolCallStatus::Completed) => println!("demo: done: {}", update.tool_call_id.0),
            Some(ToolCallStatus::Failed) => println!("demo: not done: {}", update.tool_call_id.0),
            _ => {}
        }
    }
}
