//! Reads apt's configured package sources, and derives the release's backports from them.
//!
//! The sources are reused rather than named here, so that a machine's own mirror, proxy and keys stay in force.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// One enabled source of binary packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    uris: Vec<String>,
    suites: Vec<String>,
    components: Vec<String>,
    /// The options about trust, as deb822 fields: name and value (which may have several lines).
    trust: Vec<(String, String)>,
}

/// Options that decide whether apt believes a source. The others (architectures, languages) are dropped:
/// only this machine's architecture matters here.
const TRUST_OPTIONS: [&str; 6] =
    ["signed-by", "trusted", "check-valid-until", "check-date", "allow-insecure", "allow-weak"];

/// Every source configured under `etc` (normally `/etc/apt`).
pub fn configured(etc: &Path) -> Result<Vec<Source>> {
    let mut files = vec![etc.join("sources.list")];
    if let Ok(entries) = fs::read_dir(etc.join("sources.list.d")) {
        files.extend(entries.flatten().map(|entry| entry.path()));
    }
    files.sort();
    let mut sources = Vec::new();
    for file in files.iter().filter(|file| file.is_file()) {
        let read = || fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()));
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("list") => sources.extend(parse_one_line(&read()?)),
            Some("sources") => sources.extend(parse_deb822(&read()?)),
            // apt ignores every other name as well.
            _ => {}
        }
    }
    Ok(sources)
}

/// The text of a deb822 file with the distribution's own sources for `codename`, and its backports.
///
/// `None` when no source serves this release. Third-party sources are left out: they hold no driver of
/// interest, and one that cannot be reached would fail the update.
pub fn with_backports(sources: &[Source], codename: &str) -> Option<String> {
    let own = [codename.to_owned(), format!("{codename}-updates"), format!("{codename}-security")];
    let mut text = String::new();
    let mut serves_release = false;
    for source in sources {
        let components = kept(&source.components, |word| word == "main" || word == "universe");
        if !components.iter().any(|word| word == "main") {
            continue;
        }
        let mut suites = kept(&source.suites, |word| own.iter().any(|suite| suite == word));
        if suites.iter().any(|suite| suite == codename) {
            serves_release = true;
            suites.push(backports(codename));
        }
        if !suites.is_empty() {
            text += &Source { suites, components, ..source.clone() }.to_deb822();
        }
    }
    serves_release.then_some(text)
}

/// The name of a release's backports suite.
pub fn backports(codename: &str) -> String {
    format!("{codename}-backports")
}

fn kept(words: &[String], keep: impl Fn(&str) -> bool) -> Vec<String> {
    words.iter().filter(|word| keep(word)).cloned().collect()
}

impl Source {
    fn to_deb822(&self) -> String {
        let mut text = format!(
            "Types: deb\nURIs: {}\nSuites: {}\nComponents: {}\n",
            self.uris.join(" "),
            self.suites.join(" "),
            self.components.join(" ")
        );
        for (name, value) in &self.trust {
            text += &format!("{name}: {value}\n");
        }
        text + "\n"
    }
}

/// Stanzas of `Field: value` lines, separated by empty lines.
fn parse_deb822(text: &str) -> Vec<Source> {
    let mut sources = Vec::new();
    let mut fields: Vec<(String, String)> = Vec::new();
    // The empty line at the end closes the last stanza.
    for line in text.lines().chain(Some("")) {
        if line.trim().is_empty() {
            sources.extend(source_from_fields(&std::mem::take(&mut fields)));
        } else if line.starts_with('#') {
            // Comments may stand anywhere, also between the lines of one field.
        } else if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = fields.last_mut() {
                // An inline key needs its lines as they are.
                *value += &format!("\n{line}");
            }
        } else if let Some((name, value)) = line.split_once(':') {
            fields.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    sources
}

fn source_from_fields(fields: &[(String, String)]) -> Option<Source> {
    let words = |name: &str| -> Vec<String> {
        let values = fields.iter().filter(|(field, _)| field == name);
        values.flat_map(|(_, value)| value.split_whitespace().map(str::to_owned)).collect()
    };
    let enabled = words("enabled").iter().all(|word| !["no", "false", "0"].contains(&word.as_str()));
    if !enabled || !words("types").iter().any(|word| word == "deb") {
        return None;
    }
    let trust = fields.iter().filter(|(name, _)| TRUST_OPTIONS.contains(&name.as_str()));
    Some(Source {
        uris: words("uris"),
        suites: words("suites"),
        components: words("components"),
        trust: trust.cloned().collect(),
    })
}

/// Lines of the form `deb [option=value …] uri suite component …`.
fn parse_one_line(text: &str) -> Vec<Source> {
    text.lines().filter_map(source_from_line).collect()
}

fn source_from_line(line: &str) -> Option<Source> {
    let line = line.split('#').next()?.trim();
    let rest = line.strip_prefix("deb")?;
    // Not `deb-src`.
    if !rest.starts_with([' ', '\t', '[']) {
        return None;
    }
    let rest = rest.trim_start();
    let (options, rest) = match rest.strip_prefix('[') {
        Some(inside) => inside.split_once(']')?,
        None => ("", rest),
    };
    let trust = options.split_whitespace().filter_map(|option| {
        let (name, value) = option.split_once('=')?;
        let name = name.to_ascii_lowercase();
        // Several values stand with commas here and with spaces in deb822.
        TRUST_OPTIONS.contains(&name.as_str()).then(|| (name, value.replace(',', " ")))
    });
    let mut words = rest.split_whitespace().map(str::to_owned);
    Some(Source {
        uris: vec![words.next()?],
        suites: vec![words.next()?],
        trust: trust.collect(),
        components: words.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEB822: &str = "\
Types: deb
# An older mirror stood here.
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian.gpg

Types: deb deb-src
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mQINBF
 -----END PGP PUBLIC KEY BLOCK-----

Enabled: no
Types: deb
URIs: http://disabled.example/
Suites: bookworm
Components: main

Types: deb-src
URIs: http://source.example/
Suites: bookworm
Components: main
";

    #[test]
    fn deb822_stanzas_are_read() {
        let sources = parse_deb822(DEB822);
        assert_eq!(sources.len(), 2);
        assert_eq!(sources[0].uris, ["http://mirror.example/debian"]);
        assert_eq!(sources[0].suites, ["bookworm", "bookworm-updates"]);
        assert_eq!(sources[0].components, ["main", "contrib"]);
        assert_eq!(sources[0].trust, [("signed-by".to_owned(), "/usr/share/keyrings/debian.gpg".to_owned())]);
        assert!(sources[1].trust[0].1.contains("\n .\n mQINBF\n"));
    }

    #[test]
    fn one_line_entries_are_read() {
        let sources = parse_one_line(
            "# deb http://commented.example/ bookworm main\n\
             deb http://mirror.example/ubuntu noble main universe # the archive\n\
             deb-src http://mirror.example/ubuntu noble main\n\
             deb [arch=amd64,arm64 signed-by=/a.gpg,/b.gpg] http://mirror.example/x noble-updates main\n\
             \n\
             deb\tcdrom:[x]\n",
        );
        assert_eq!(sources.len(), 2);
        assert_eq!(sources[0].uris, ["http://mirror.example/ubuntu"]);
        assert_eq!(sources[0].suites, ["noble"]);
        assert_eq!(sources[0].components, ["main", "universe"]);
        assert_eq!(sources[0].trust, []);
        assert_eq!(sources[1].suites, ["noble-updates"]);
        assert_eq!(sources[1].trust, [("signed-by".to_owned(), "/a.gpg /b.gpg".to_owned())]);
    }

    #[test]
    fn both_formats_give_the_same_source() {
        let one_line = "deb [signed-by=/k.gpg] http://mirror.example/debian bookworm main\n";
        let deb822 = "Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm\n\
                      Components: main\nSigned-By: /k.gpg\n";
        assert_eq!(parse_one_line(one_line), parse_deb822(deb822));
    }

    #[test]
    fn what_is_written_reads_back() {
        for source in parse_deb822(DEB822) {
            assert_eq!(parse_deb822(&source.to_deb822()), [source]);
        }
    }

    #[test]
    fn backports_come_from_the_source_of_the_release() {
        let text = with_backports(&parse_deb822(DEB822), "bookworm").unwrap();
        let sources = parse_deb822(&text);
        assert_eq!(sources.len(), 2);
        assert_eq!(sources[0].suites, ["bookworm", "bookworm-updates", "bookworm-backports"]);
        assert_eq!(sources[0].uris, ["http://mirror.example/debian"]);
        assert_eq!(sources[0].components, ["main"]);
        assert_eq!(sources[1].suites, ["bookworm-security"]);
    }

    #[test]
    fn third_party_sources_are_left_out() {
        let list = "deb http://mirror.example/debian bookworm main\n\
                    deb http://tools.example/apt bookworm stable\n\
                    deb http://database.example/apt bookworm-pgdg main\n";
        let text = with_backports(&parse_one_line(list), "bookworm").unwrap();
        assert!(!text.contains("tools.example") && !text.contains("database.example"));
    }

    #[test]
    fn another_release_has_no_sources() {
        assert_eq!(with_backports(&parse_deb822(DEB822), "trixie"), None);
    }
}
