//! A relay as one would write it on the SDK: it parses every message and sends it on. For comparison only.

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::SessionNotification;
use agent_client_protocol::{AcpAgent, AcpAgentConfig, Agent, Client, Stdio};
use anyhow::{Context as _, Result};

pub fn relay(words: &[String]) -> Result<()> {
    let (program, arguments) = words.split_first().context("an agent's command")?;
    let agent = AcpAgent::new(AcpAgentConfig::new(program).args(arguments));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        Agent
            .v1()
            .name("sdk-relay")
            .connect_with(Stdio::new(), async move |editor: ConnectionTo<Client>| {
                let to = editor.clone();
                Client
                    .v1()
                    .name("sdk-relay")
                    .on_receive_notification(
                        async move |notice: SessionNotification, _agent| {
                            to.send_notification(notice)
                        },
                        agent_client_protocol::on_receive_notification!(),
                    )
                    .connect_to(agent)
                    .await?;
                // What is queued goes out while the editor reads.
                std::future::pending::<()>().await;
                Ok(())
            })
            .await
    })?;
    Ok(())
}
