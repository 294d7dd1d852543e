//! Arrays on the device, of any of the three element types.

use gpuscan::{Device, Element, GpuBuffer};
use js_sys::{Float32Array, Int32Array, Uint32Array};
use wasm_bindgen::prelude::*;

/// One value for each element type.
pub(crate) enum Kinds<U, I, F> {
    U32(U),
    I32(I),
    F32(F),
}

/// Does the same for each element type.
macro_rules! each {
    ($kinds:expr, $value:pat => $body:expr) => {
        match $kinds {
            $crate::array::Kinds::U32($value) => $body,
            $crate::array::Kinds::I32($value) => $body,
            $crate::array::Kinds::F32($value) => $body,
        }
    };
}
pub(crate) use each;

/// Elements on a device.
#[wasm_bindgen]
pub struct Array(pub(crate) Kinds<GpuBuffer<u32>, GpuBuffer<i32>, GpuBuffer<f32>>);

type Pair<'a, T> = (&'a GpuBuffer<T>, &'a GpuBuffer<T>);

impl Array {
    pub(crate) fn upload(device: &Device, values: &JsValue) -> Result<Self, JsError> {
        Ok(Self(match typed(values)? {
            Kinds::U32(values) => Kinds::U32(device.upload(&values)?),
            Kinds::I32(values) => Kinds::I32(device.upload(&values)?),
            Kinds::F32(values) => Kinds::F32(device.upload(&values)?),
        }))
    }

    pub(crate) fn zeros(device: &Device, kind: &str, len: usize) -> Result<Self, JsError> {
        Ok(Self(match kind {
            "u32" => Kinds::U32(device.zeros(len)?),
            "i32" => Kinds::I32(device.zeros(len)?),
            "f32" => Kinds::F32(device.zeros(len)?),
            _ => return Err(JsError::new(&format!("expected u32, i32 or f32, found {kind}"))),
        }))
    }

    /// The buffer, if its elements are `u32`; `what` names it for people.
    pub(crate) fn words(&self, what: &str) -> Result<&GpuBuffer<u32>, JsError> {
        match &self.0 {
            Kinds::U32(buffer) => Ok(buffer),
            _ => Err(JsError::new(&format!("expected {what} of u32, found {}", self.kind()))),
        }
    }

    /// Both, if their elements are of one type.
    #[allow(clippy::type_complexity)]
    pub(crate) fn same_kind<'a>(
        &'a self,
        other: &'a Self,
    ) -> Result<Kinds<Pair<'a, u32>, Pair<'a, i32>, Pair<'a, f32>>, JsError> {
        Ok(match (&self.0, &other.0) {
            (Kinds::U32(a), Kinds::U32(b)) => Kinds::U32((a, b)),
            (Kinds::I32(a), Kinds::I32(b)) => Kinds::I32((a, b)),
            (Kinds::F32(a), Kinds::F32(b)) => Kinds::F32((a, b)),
            _ => {
                let text = format!("expected arrays of one type, found {} and {}", self.kind(), other.kind());
                return Err(JsError::new(&text));
            }
        })
    }
}

#[wasm_bindgen]
impl Array {
    /// The element type's name.
    #[wasm_bindgen(getter)]
    pub fn kind(&self) -> String {
        each!(&self.0, buffer => name_of(buffer)).into()
    }

    /// Elements.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> usize {
        each!(&self.0, buffer => buffer.len())
    }

    /// The browser's own `GPUBuffer` that it lies in, from its first byte on.
    #[wasm_bindgen(getter)]
    pub fn buffer(&self) -> JsValue {
        let buffer = each!(&self.0, buffer => buffer.wgpu_buffer());
        buffer.and_then(|buffer| buffer.as_webgpu()).map_or(JsValue::UNDEFINED, |buffer| buffer.into())
    }

    /// Downloads the elements into a new typed array.
    pub async fn read(&self) -> Result<JsValue, JsError> {
        Ok(match &self.0 {
            Kinds::U32(buffer) => Uint32Array::from(&buffer.read().await?[..]).into(),
            Kinds::I32(buffer) => Int32Array::from(&buffer.read().await?[..]).into(),
            Kinds::F32(buffer) => Float32Array::from(&buffer.read().await?[..]).into(),
        })
    }

    /// Overwrites the elements.
    pub fn write(&self, values: &JsValue) -> Result<(), JsError> {
        match (&self.0, typed(values)?) {
            (Kinds::U32(buffer), Kinds::U32(values)) => buffer.write(&values)?,
            (Kinds::I32(buffer), Kinds::I32(values)) => buffer.write(&values)?,
            (Kinds::F32(buffer), Kinds::F32(values)) => buffer.write(&values)?,
            _ => return Err(JsError::new(&format!("expected values for an array of {}", self.kind()))),
        }
        Ok(())
    }

    /// Gives the memory back at once, and not when the browser gets to it.
    pub fn destroy(self) {
        if let Some(buffer) = each!(&self.0, buffer => buffer.wgpu_buffer()) {
            buffer.destroy();
        }
    }
}

fn name_of<T: Element>(_: &GpuBuffer<T>) -> &'static str {
    match T::LAYOUT {
        layout if layout == f32::LAYOUT => "f32",
        layout if layout == i32::LAYOUT => "i32",
        _ => "u32",
    }
}

/// The elements of a typed array.
fn typed(values: &JsValue) -> Result<Kinds<Vec<u32>, Vec<i32>, Vec<f32>>, JsError> {
    if let Some(values) = values.dyn_ref::<Uint32Array>() {
        Ok(Kinds::U32(values.to_vec()))
    } else if let Some(values) = values.dyn_ref::<Int32Array>() {
        Ok(Kinds::I32(values.to_vec()))
    } else if let Some(values) = values.dyn_ref::<Float32Array>() {
        Ok(Kinds::F32(values.to_vec()))
    } else {
        Err(JsError::new("expected a Uint32Array, an Int32Array or a Float32Array"))
    }
}
