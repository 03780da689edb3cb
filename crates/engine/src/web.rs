//! The HTTP agent of all requests.

use std::time::Duration;

use ureq::{
    Agent, Proxy,
    config::ConfigBuilder,
    tls::{RootCerts, TlsConfig},
    typestate::AgentScope,
};

/// Time limit for looking up a name, and for establishing a connection.
const CONNECTING: Duration = Duration::from_secs(10);

/// Returns the settings of an agent that trusts the certificates of the system.
pub(crate) fn agent(proxy: Option<Proxy>) -> ConfigBuilder<AgentScope> {
    Agent::config_builder()
        .user_agent(concat!("pimem/", env!("CARGO_PKG_VERSION")))
        .proxy(proxy)
        .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
        .timeout_resolve(Some(CONNECTING))
        .timeout_connect(Some(CONNECTING))
}

/// Returns the settings of an agent that sends a key. Redirects are not followed, because the key
/// would be sent along; they and errors are answers like any.
#[cfg(any(feature = "llm", feature = "sync"))]
pub(crate) fn agent_with_key(proxy: Option<Proxy>) -> ConfigBuilder<AgentScope> {
    agent(proxy).max_redirects(0).max_redirects_will_error(false).http_status_as_error(false)
}
