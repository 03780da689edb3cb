//! Downloads from Hugging Face, or from a mirror with the same paths. Used only by `pimem model
//! pull`.

use std::time::Duration;

use ureq::{Agent, Proxy};

use super::staging::{InstallError, ModelSource, OpenedSource};
use crate::web;

/// Default server.
pub const ENDPOINT: &str = "https://huggingface.co";

/// A repository of models.
pub struct Hub {
    agent: Agent,
    base: String,
}

impl Hub {
    /// Creates a client for a repository at `endpoint`; empty means the default server.
    pub fn new(
        endpoint: &str,
        proxy: Option<&str>,
        repository: &str,
    ) -> Result<Self, InstallError> {
        let endpoint = if endpoint.is_empty() { ENDPOINT } else { endpoint.trim_end_matches('/') };
        let is_https = endpoint.starts_with("https://");
        if !is_https && !endpoint.starts_with("http://") {
            let message = format!("{endpoint:?} is not an address");
            return Err(InstallError::refused(message, "set HF_ENDPOINT to an http(s) address"));
        }
        let proxy = proxy.filter(|_| is_https).map(Proxy::new).transpose().map_err(|_| {
            InstallError::refused("HTTPS_PROXY is not an address", "write it as http://host:port")
        })?;
        // No limit on the total time, because a large model on a slow line takes long.
        let config = web::agent(proxy)
            .timeout_recv_response(Some(Duration::from_mins(1)))
            .timeout_per_read(Some(Duration::from_mins(1)))
            .build();
        Ok(Self { agent: config.into(), base: format!("{endpoint}/{repository}") })
    }
}

impl ModelSource for Hub {
    fn name(&self) -> String {
        self.base.clone()
    }

    fn open(&self, file: &str) -> Result<Option<OpenedSource>, InstallError> {
        let address = format!("{}/resolve/main/{file}", self.base);
        let answer = match self.agent.get(&address).call() {
            Ok(answer) => answer,
            Err(ureq::Error::StatusCode(404)) => return Ok(None),
            Err(error) => {
                let message = format!("cannot download {address}: {error}");
                let hint =
                    "try again, or give the files with --from DIR; HF_ENDPOINT names a mirror";
                return Err(InstallError::refused(message, hint));
            }
        };
        let size = answer
            .headers()
            .get("content-length")
            .and_then(|length| length.to_str().ok()?.parse().ok());
        Ok(Some(OpenedSource {
            name: address,
            reader: Box::new(answer.into_body().into_reader()),
            size,
        }))
    }
}
