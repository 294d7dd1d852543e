//! A static server, as any static host would be.

use std::path::Path;
use std::thread;

use anyhow::{Result, anyhow};
use rouille::{Request, Response};

/// Serves until the process ends.
pub struct Server {
    /// The port on localhost.
    pub port: u16,
}

impl Server {
    /// Serves `folder` on `port` of localhost, or on a free one for 0.
    pub fn start(folder: &Path, port: u16) -> Result<Self> {
        let folder = folder.to_owned();
        let server = rouille::Server::new(("127.0.0.1", port), move |request| answer(request, &folder))
            .map_err(|error| anyhow!("cannot serve on port {port}: {error}"))?;
        let port = server.server_addr().port();
        thread::spawn(move || server.run());
        Ok(Self { port })
    }
}

fn answer(request: &Request, folder: &Path) -> Response {
    let asked = request.url();
    if asked == "/blank" {
        return Response::html("<!doctype html><title>blank</title><link rel=icon href='data:,'>");
    }
    let path = if asked.ends_with('/') { format!("{asked}index.html") } else { asked };
    let found = rouille::match_assets(&Request::fake_http("GET", path, Vec::new(), Vec::new()), folder);
    if found.is_success() {
        return found.with_no_cache();
    }
    Response::text("not found").with_status_code(404)
}
