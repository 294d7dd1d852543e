//! A static server, as any static host would be: a thread for each connection, and one answer on it. (A pool of threads
//! that keeps connections open leaves a browser waiting when all of them wait for it.)

use std::fs;
use std::io::{BufRead, BufReader, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::Context;

/// Serves until the process ends.
pub struct Server {
    /// The port on localhost.
    pub port: u16,
}

impl Server {
    /// Serves `folder` on `port` of localhost, or on a free one for 0.
    pub fn start(folder: &Path, port: u16) -> anyhow::Result<Self> {
        let listener =
            TcpListener::bind(("127.0.0.1", port)).with_context(|| format!("cannot serve on port {port}"))?;
        let port = listener.local_addr()?.port();
        let folder = folder.to_owned();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let folder = folder.clone();
                // A browser that goes away is no error.
                thread::spawn(move || answer(&stream, &folder));
            }
        });
        Ok(Self { port })
    }
}

fn answer(mut stream: &TcpStream, folder: &Path) -> Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let Some(first) = lines.next().transpose()? else { return Ok(()) };
    for header in lines {
        if header?.is_empty() {
            break;
        }
    }
    let asked = first.split(' ').nth(1).unwrap_or("/");
    let asked = asked.split(['?', '#']).next().unwrap_or("/");
    let (status, kind, body) = match found(asked, folder) {
        _ if asked == "/blank" => {
            let page = "<!doctype html><title>blank</title><link rel=icon href='data:,'>";
            ("200 OK", "text/html", page.into())
        }
        Some((path, body)) => ("200 OK", kind_of(&path), body),
        None => ("404 Not Found", "text/plain", b"not found".to_vec()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n\
         Connection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(&body)
}

/// The file in the folder, and what is in it.
fn found(asked: &str, folder: &Path) -> Option<(PathBuf, Vec<u8>)> {
    let index = if asked.ends_with('/') { "index.html" } else { "" };
    let path = folder.join(asked.trim_start_matches('/').to_owned() + index).canonicalize().ok()?;
    // Nothing beside the folder.
    let inside = path.starts_with(folder.canonicalize().ok()?);
    inside.then(|| fs::read(&path).ok())?.map(|body| (path, body))
}

fn kind_of(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}
