//! A browser under WebDriver: plain HTTP and JSON, <https://www.w3.org/TR/webdriver2/>.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use base64::Engine;
use serde_json::{Value, json};

/// One browser window.
pub struct Browser {
    driver: Child,
    agent: ureq::Agent,
    session: String,
}

impl Browser {
    /// Starts the driver on a free port, and a browser with a fresh profile.
    pub fn start(chromedriver: &Path, capabilities: &Value) -> Result<Self> {
        let mut driver = Command::new(chromedriver)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", chromedriver.display()))?;
        let mut lines = BufReader::new(driver.stdout.take().context("a pipe")?).lines();
        let port = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| {
                line.split_once("started successfully on port ")?.1.trim_end_matches('.').parse::<u16>().ok()
            })
            .context("the driver named no port")?;
        // It would wait for a reader once the pipe is full.
        thread::spawn(move || lines.for_each(drop));
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
        let mut browser = Self { driver, agent, session: format!("http://127.0.0.1:{port}/session") };
        let asked = json!({ "capabilities": { "alwaysMatch": capabilities } });
        let made = browser.post("", asked)?;
        let id = made["sessionId"].as_str().context("no session")?;
        browser.session = format!("{}/{id}", browser.session);
        browser.post("/timeouts", json!({ "script": 300_000, "pageLoad": 60_000 }))?;
        Ok(browser)
    }

    fn post(&self, path: &str, body: Value) -> Result<Value> {
        let response = self.agent.post(format!("{}{path}", self.session)).send_json(body);
        Self::value(path, response)
    }

    fn value(path: &str, response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Value> {
        let body: Value = response.with_context(|| format!("no answer to {path}"))?.body_mut().read_json()?;
        let value = body["value"].clone();
        if let Some(message) = value["message"].as_str().filter(|_| value["error"].is_string()) {
            bail!("{path}: {}", message.lines().next().unwrap_or(message));
        }
        Ok(value)
    }

    /// Goes to a page.
    pub fn open(&self, url: &str) -> Result<()> {
        self.post("/url", json!({ "url": url })).map(drop)
    }

    /// What a function's body returns in the page; a promise is waited for.
    pub fn run(&self, body: &str) -> Result<Value> {
        self.post("/execute/sync", json!({ "script": body, "args": [] }))
    }

    /// Runs it until what it returns is true.
    pub fn wait(&self, what: &str, body: &str) -> Result<()> {
        let patience = Duration::from_secs(150);
        let start = Instant::now();
        while self.run(body)? != Value::Bool(true) {
            if start.elapsed() > patience {
                bail!("waited in vain for {what}");
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Clicks on an element, as a pointer would: it has to be in sight and on top.
    pub fn click(&self, selector: &str) -> Result<()> {
        let element = self.element(selector)?;
        self.post(&format!("/element/{element}/click"), json!({})).map(drop)
    }

    /// Presses keys while an element has the focus.
    pub fn keys(&self, selector: &str, text: &str) -> Result<()> {
        let element = self.element(selector)?;
        self.post(&format!("/element/{element}/value"), json!({ "text": text })).map(drop)
    }

    /// The name that assistive technology reads out for each element that matches.
    pub fn names(&self, selector: &str) -> Result<Vec<(String, String)>> {
        let found = self.post("/elements", json!({ "using": "css selector", "value": selector }))?;
        let ids = found.as_array().into_iter().flatten().filter_map(id_of);
        ids.map(|id| {
            let label = format!("/element/{id}/computedlabel");
            let name = Self::value(&label, self.agent.get(format!("{}{label}", self.session)).call())?;
            let html = Self::value(
                "outerHTML",
                self.agent.get(format!("{}/element/{id}/property/outerHTML", self.session)).call(),
            )?;
            Ok((name.as_str().unwrap_or("").to_owned(), html.as_str().unwrap_or("").to_owned()))
        })
        .collect()
    }

    fn element(&self, selector: &str) -> Result<String> {
        let found = self.post("/element", json!({ "using": "css selector", "value": selector }))?;
        id_of(&found).ok_or_else(|| anyhow!("no element {selector}"))
    }

    /// A command of Chromium's own protocol.
    pub fn devtools(&self, command: &str, parameters: Value) -> Result<Value> {
        self.post("/goog/cdp/execute", json!({ "cmd": command, "params": parameters }))
    }

    /// A window of this width, or a phone of it, in light or dark.
    pub fn look(&self, width: u32, height: u32, scheme: &str) -> Result<()> {
        let phone = width < 600;
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": height, "deviceScaleFactor": if phone { 2 } else { 1 }, "mobile": phone }),
        )?;
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            // Nothing moves away from under the pointer.
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": features })).map(drop)
    }

    /// What is seen of the page now, as a PNG file; returns its bytes.
    pub fn screenshot(&self, file: &Path) -> Result<Vec<u8>> {
        let shot = self.devtools("Page.captureScreenshot", json!({ "format": "png" }))?;
        let data = shot["data"].as_str().context("no picture")?;
        let bytes = base64::engine::general_purpose::STANDARD.decode(data)?;
        fs::write(file, &bytes).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(bytes)
    }

    /// What went to the console since the last call: warnings and errors.
    pub fn complaints(&self) -> Result<Vec<String>> {
        let entries = self.post("/se/log", json!({ "type": "browser" }))?;
        let entries = entries.as_array().cloned().unwrap_or_default();
        let worse =
            entries.iter().filter(|entry| matches!(entry["level"].as_str(), Some("SEVERE" | "WARNING")));
        Ok(worse.map(|entry| entry["message"].as_str().unwrap_or("").to_owned()).collect())
    }
}

/// The element's id in an answer that names one.
fn id_of(value: &Value) -> Option<String> {
    Some(value.as_object()?.values().next()?.as_str()?.to_owned())
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends the browser, then its driver. Neither can be helped if it fails.
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
