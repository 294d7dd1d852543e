//! Every kernel before the browser's own compiler. Unlike naga it proves that barriers, and the operations of
//! subgroups, are reached by all lanes or by none.

use std::collections::BTreeSet;

use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

use super::{ENABLE_SUBGROUPS, tests::every_kernel};

wasm_bindgen_test_configure!(run_in_browser);

// wgpu cannot ask for subgroups here (see `Context::new`), so these kernels need a device that it did not make.
#[wasm_bindgen(inline_js = r#"
export async function open(subgroups) {
    const adapter = await navigator.gpu?.requestAdapter();
    if (!adapter) throw new Error("the browser has no WebGPU adapter");
    if (subgroups && !adapter.features.has("subgroups")) throw new Error("the adapter has no subgroups");
    return adapter.requestDevice({ requiredFeatures: subgroups ? ["subgroups"] : [] });
}
export async function complaints(device, code) {
    device.pushErrorScope("validation");
    const info = await device.createShaderModule({ code }).getCompilationInfo();
    const error = await device.popErrorScope();
    const messages = info.messages.map((m) => `${m.lineNum}\t${m.type}: ${m.message}`);
    return error && messages.length == 0 ? [`0\terror: ${error.message}`] : messages;
}
"#)]
extern "C" {
    #[wasm_bindgen(catch)]
    async fn open(subgroups: bool) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    async fn complaints(device: &JsValue, code: &str) -> Result<JsValue, JsValue>;
}

/// The compiler accepts, without so much as a warning, every kernel that uses subgroups or none that does.
async fn accepts_all(with_subgroups: bool) {
    let device = open(with_subgroups).await.expect("a device");
    let mut texts = BTreeSet::new();
    let mut found = BTreeSet::new();
    for (operator, kernel) in every_kernel() {
        let source = kernel.assemble(&operator);
        // Many kernels differ only in what their pass does not use.
        if source.text.starts_with(ENABLE_SUBGROUPS) != with_subgroups || !texts.insert(source.text.clone()) {
            continue;
        }
        let messages = complaints(&device, &source.text).await.expect("compilation info");
        for message in js_sys::Array::from(&messages).iter().filter_map(|message| message.as_string()) {
            let (line, message) = message.split_once('\t').expect("a line and a message");
            let place = source.locate(line.parse().expect("a line's number"));
            found.insert(format!("{}, {place}: {message}", kernel.name()));
        }
    }
    assert!(texts.len() > 50, "only {} texts", texts.len());
    assert!(found.is_empty(), "{found:#?}");
}

#[wasm_bindgen_test]
async fn every_kernel_is_accepted() {
    accepts_all(false).await;
}

#[wasm_bindgen_test]
async fn every_kernel_with_subgroups_is_accepted() {
    accepts_all(true).await;
}
