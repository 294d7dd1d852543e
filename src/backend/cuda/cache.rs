//! Compiled kernels on disk, found by what they were compiled from.
//!
//! A file begins with its whole key, which is compared, so a file is never taken for another. It is written beside
//! its place and moved there, so a reader sees all of it or nothing, however many processes write it. What goes wrong
//! with it costs a compilation and nothing else.

use std::{
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::PathBuf,
    process,
    sync::atomic::{AtomicU64, Ordering},
};

/// The variable that says where: a folder, or `off`.
const VARIABLE: &str = "GPUSCAN_CUDA_CACHE";

#[derive(Debug)]
pub(super) struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// Where the environment says, else in the user's own cache folder, else nowhere.
    pub fn from_env() -> Self {
        let folder = match env::var_os(VARIABLE) {
            Some(value) if value == "off" => None,
            Some(value) if !value.is_empty() => Some(PathBuf::from(value)),
            _ => user_cache().map(|folder| folder.join("gpuscan").join("cuda")),
        };
        Self { folder }
    }

    fn file(&self, key: &str) -> Option<PathBuf> {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        Some(self.folder.as_ref()?.join(format!("{:016x}.cubin", hasher.finish())))
    }

    /// The code that was kept under `key`.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let bytes = fs::read(self.file(key)?).ok()?;
        let rest = bytes.strip_prefix(key.as_bytes())?.strip_prefix(&[0])?;
        let (length, code) = rest.split_first_chunk::<8>()?;
        (u64::from_le_bytes(*length) == code.len() as u64).then(|| code.to_vec())
    }

    /// Keeps `code` under `key`.
    pub fn put(&self, key: &str, code: &[u8]) {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let Some(file) = self.file(key) else { return };
        let Some(folder) = file.parent() else { return };
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let draft = folder.join(format!("{}-{number}.draft", process::id()));
        let bytes = [key.as_bytes(), &[0], &(code.len() as u64).to_le_bytes(), code].concat();
        let kept = fs::create_dir_all(folder)
            .and_then(|()| fs::write(&draft, bytes))
            .and_then(|()| fs::rename(&draft, &file));
        if kept.is_err() {
            // A full disk, or a folder that cannot be written to: the next process compiles again.
            let _ = fs::remove_file(&draft);
        }
    }
}

fn user_cache() -> Option<PathBuf> {
    let folder = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    match cfg!(windows) {
        true => folder("LOCALAPPDATA"),
        false => folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(name: &str) -> Cache {
        let folder = env::temp_dir().join(format!("gpuscan-cache-{name}-{}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        Cache { folder: Some(folder) }
    }

    #[test]
    fn what_was_kept_is_found_again() {
        let cache = cache("kept");
        assert_eq!(cache.get("key"), None);
        cache.put("key", b"code");
        cache.put("another", b"more code");
        assert_eq!(cache.get("key").as_deref(), Some(&b"code"[..]));
        cache.put("key", b"new");
        assert_eq!(cache.get("key").as_deref(), Some(&b"new"[..]));
        let folder = cache.folder.expect("a folder");
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 2, "no drafts are left");
        fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn damage_is_not_taken_for_code() {
        let cache = cache("damage");
        cache.put("key", b"code");
        let file = cache.file("key").expect("a file");
        let whole = fs::read(&file).expect("it is there");
        for damaged in [&whole[..whole.len() - 1], &whole[..3], &[], &[&whole[..], b"x"].concat()] {
            fs::write(&file, damaged).expect("written");
            assert_eq!(cache.get("key"), None);
        }
        // The file of another key with the same hash.
        fs::write(&file, &whole).expect("written");
        fs::rename(&file, cache.file("other").expect("a file")).expect("moved");
        assert_eq!(cache.get("other"), None);
        fs::remove_dir_all(cache.folder.expect("a folder")).expect("removed");
    }

    #[test]
    fn writers_do_not_disturb_readers() {
        let cache = cache("writers");
        let code = vec![7u8; 100_000];
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..20).for_each(|_| cache.put("key", &code)));
            }
            for _ in 0..200 {
                assert!(cache.get("key").is_none_or(|found| found == code));
            }
        });
        assert_eq!(cache.get("key"), Some(code));
        fs::remove_dir_all(cache.folder.expect("a folder")).expect("removed");
    }

    #[test]
    fn without_a_folder_nothing_is_kept() {
        let cache = Cache { folder: None };
        cache.put("key", b"code");
        assert_eq!(cache.get("key"), None);
    }
}
