//! Keys as segments and runs see them.

use crate::{
    backend::GpuMemory, buffer::GpuBuffer, device::Device, element::Element, error::Error, plan::Place,
};

/// Keys, whatever their type: what tells segments and runs apart.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    pub device: Device,
    pub memory: Option<GpuMemory>,
    pub place: Place,
    pub len: usize,
    pub words: u32,
    narrow: Option<Error>,
    /// Where a key differs from the one before, on the host.
    heads: HeadsOnHost,
}

/// Looks at keys on the host when it is asked to.
#[derive(Clone)]
struct HeadsOnHost(std::sync::Arc<FindHeads>);

#[cfg(not(target_arch = "wasm32"))]
type FindHeads = dyn Fn() -> Result<Vec<bool>, Error> + Send + Sync;
/// The same in a browser, where buffers stay on their thread.
#[cfg(target_arch = "wasm32")]
type FindHeads = dyn Fn() -> Result<Vec<bool>, Error>;

impl std::fmt::Debug for HeadsOnHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("heads")
    }
}

impl Keys {
    pub fn new<K: Element>(keys: &GpuBuffer<K>) -> Self {
        let on_host = keys.clone();
        Self {
            device: keys.device().clone(),
            memory: keys.on_gpu().ok().cloned(),
            place: keys.place(),
            len: keys.len(),
            words: K::LAYOUT.word_count(),
            narrow: K::LAYOUT.check_words::<K>().err(),
            heads: HeadsOnHost(std::sync::Arc::new(move || {
                let keys = on_host.on_host()?;
                let differs = |i: usize| bytemuck::bytes_of(&keys[i - 1]) != bytemuck::bytes_of(&keys[i]);
                Ok((0..keys.len()).map(|i| i == 0 || differs(i)).collect())
            })),
        }
    }

    /// The text of `head` and `heads_of_quad`, if keys can be read four at a time: those of a word, from a quad's first byte to
    /// the last one's last.
    pub fn heads_of_quads(&self) -> Option<std::sync::Arc<str>> {
        let Place { offset, buffer } = self.place;
        let end = offset + 4 * self.len as u64;
        let in_quads = self.words == 1 && offset.is_multiple_of(16) && end.next_multiple_of(16) <= buffer;
        in_quads.then(|| include_str!("../../shaders/hooks/head_key_quads.wgsl").into())
    }

    /// The text of `head`.
    pub fn head(&self) -> std::sync::Arc<str> {
        let text = include_str!("../../shaders/hooks/head_keys.wgsl");
        let differ: Vec<_> =
            (0..self.words).map(|word| format!("(keys[at + {word}u] != keys[before + {word}u])")).collect();
        format!(
            "const KEY_WORDS = {}u;\n{text}\nfn differ(at: u32, before: u32) -> bool {{\n    return {};\n}}\n",
            self.words,
            differ.join(" | "),
        )
        .into()
    }

    pub fn heads(&self) -> Result<Vec<bool>, Error> {
        (self.heads.0)()
    }

    /// An error for keys narrower than a word.
    pub fn check(&self) -> Result<(), Error> {
        self.narrow.clone().map_or(Ok(()), Err)
    }
}
