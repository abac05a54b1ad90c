//! Carries requests over HTTP.

use std::time::Duration;

use serde_json::Value;

use crate::api::{Response, Transport, TransportError};

/// The most bytes of a response.
const BYTES_MAX: u64 = 64 << 20;

/// An HTTP client; with the feature `https` it speaks TLS too.
#[derive(Clone, Debug)]
pub struct Http {
    agent: ureq::Agent,
}

impl Http {
    /// A client that waits this long for a response.
    #[must_use]
    pub fn new(timeout: Duration) -> Self {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(timeout))
            // The body of an error says what is wrong.
            .http_status_as_error(false)
            .build();
        Self { agent: config.into() }
    }
}

impl Transport for Http {
    fn post(
        &mut self,
        address: &str,
        headers: &[(String, String)],
        body: &Value,
    ) -> Result<Response, TransportError> {
        let fault = |error: ureq::Error| TransportError { message: error.to_string() };
        let mut request = self.agent.post(address).header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let mut response = request.send(body.to_string()).map_err(fault)?;
        let status = response.status().as_u16();
        let text = response.body_mut().with_config().limit(BYTES_MAX).read_to_string();
        let text = text.map_err(fault)?;
        let body = match serde_json::from_str(&text) {
            Ok(body) => body,
            // Servers say some errors in plain text.
            Err(_) if !(200..300).contains(&status) => Value::String(text),
            Err(error) => {
                let message = format!("the response is not JSON: {error}");
                return Err(TransportError { message });
            }
        };
        Ok(Response { status, body })
    }
}
