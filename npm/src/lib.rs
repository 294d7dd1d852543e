//! What the npm package's JavaScript (`package/index.js`) is built on: devices, arrays on them, scans, and what is
//! made of scans.
//!
//! A class for people, with its checks and its types, is there; this only carries values across.

mod array;
mod primitives;

use gpuscan::{Algorithm, Device, GpuScan, Max, Min, Sum, trace, wgpu};
use js_sys::{Array as List, Object, Reflect};
use wasm_bindgen::prelude::*;

use array::{Array, each};

/// Does the same with the operator of a name.
macro_rules! with_operator {
    ($name:expr, $monoid:ident => $body:expr) => {
        match $name {
            "sum" => {
                let $monoid = Sum;
                $body
            }
            "min" => {
                let $monoid = Min;
                $body
            }
            "max" => {
                let $monoid = Max;
                $body
            }
            found => return Err(JsError::new(&format!("expected sum, min or max, found {found}"))),
        }
    };
}
use with_operator;

/// WebGPU as the page has it at this moment.
#[wasm_bindgen]
pub struct Opening(wgpu::Instance);

#[wasm_bindgen]
impl Opening {
    /// Reads `navigator.gpu`, and only now.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self(wgpu::Instance::default())
    }

    /// The device that the adapter gives.
    pub async fn open(self) -> Result<Scanner, JsError> {
        let adapter = self.0.request_adapter(&Default::default()).await?;
        let descriptor = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
        let (device, queue) = adapter.request_device(&descriptor).await?;
        Ok(Scanner(Device::from_wgpu(adapter.get_info(), device, queue)?))
    }
}

/// A device that scans.
#[wasm_bindgen]
pub struct Scanner(Device);

#[wasm_bindgen]
impl Scanner {
    /// One line for people.
    pub fn describe(&self) -> String {
        self.0.describe()
    }

    /// A new array that holds a typed array's elements.
    pub fn upload(&self, values: &JsValue) -> Result<Array, JsError> {
        Array::upload(&self.0, values)
    }

    /// A new array of zeros.
    pub fn zeros(&self, kind: &str, len: usize) -> Result<Array, JsError> {
        Array::zeros(&self.0, kind, len)
    }

    /// Prefixes of `input` under an operator into `output`, which may be the same array.
    pub fn scan(
        &self,
        algorithm: &str,
        operator: &str,
        exclusive: bool,
        input: &Array,
        output: &Array,
    ) -> Result<(), JsError> {
        let algorithm = named(algorithm)?;
        let arrays = input.same_kind(output)?;
        with_operator!(operator, monoid => {
            let scan = GpuScan::with_monoid(&self.0, monoid).algorithm(algorithm);
            each!(arrays, (input, output) => match exclusive {
                false => scan.inclusive_into(input, output)?,
                true => scan.exclusive_into(input, output)?,
            });
        });
        Ok(())
    }

    /// The algorithm that a scan of `len` elements takes.
    pub fn chosen(&self, algorithm: &str, len: usize) -> Result<String, JsError> {
        Ok(GpuScan::new(&self.0).algorithm(named(algorithm)?).chosen(len).to_string())
    }

    /// Every round of a textbook algorithm: `{ name, values }`.
    pub async fn trace(&self, algorithm: &str, values: Vec<u32>) -> Result<List, JsError> {
        let rounds = match named(algorithm)? {
            Algorithm::HillisSteele => trace::hillis_steele_async(&self.0, &values).await?,
            Algorithm::Blelloch => trace::blelloch_async(&self.0, &values).await?,
            other => return Err(JsError::new(&format!("expected hillis-steele or blelloch, found {other}"))),
        };
        Ok(rounds
            .into_iter()
            .map(|round| {
                let object = Object::new();
                // Neither can fail on a plain object.
                let _ = Reflect::set(&object, &"name".into(), &round.name.into());
                let values = js_sys::Uint32Array::from(&round.values[..]);
                let _ = Reflect::set(&object, &"values".into(), &values);
                object
            })
            .collect())
    }
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn complain(text: &str);
}

/// A panic is a mistake in this crate. Without a word it would only be `unreachable`.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|info| complain(&info.to_string())));
}

fn named(name: &str) -> Result<Algorithm, JsError> {
    Algorithm::ALL.into_iter().find(|algorithm| algorithm.to_string() == name).ok_or_else(|| {
        let names = Algorithm::ALL.map(|algorithm| algorithm.to_string()).join(", ");
        JsError::new(&format!("expected one of {names}, found {name}"))
    })
}
