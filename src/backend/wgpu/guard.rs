//! Turns everything wgpu would report as an uncaptured error, which panics, into an [`Error`].

use std::{
    pin::pin,
    task::{Poll, Waker},
};

use super::Context;
use crate::error::Error;

/// The result of a future that is ready at once, as wgpu's are on every native backend.
pub(super) fn now<R>(future: impl Future<Output = R>) -> Option<R> {
    match pin!(future).poll(&mut std::task::Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => None,
    }
}

impl Context {
    /// Runs `call` under error scopes of its own. `bytes` is what it allocates, if it does.
    pub(super) fn guarded<R>(
        &self,
        what: &'static str,
        bytes: u64,
        call: impl FnOnce() -> R,
    ) -> Result<R, Error> {
        self.not_known_lost()?;
        self.late.arrived()?;
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let internal = self.device.push_error_scope(wgpu::ErrorFilter::Internal);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let result = call();
        // Scopes are popped in reverse order; each is popped even when an earlier one held an error.
        let errors = [
            self.late.ask(what, bytes, validation.pop()),
            self.late.ask(what, bytes, internal.pop()),
            self.late.ask(what, bytes, memory.pop()),
        ];
        self.not_known_lost()?;
        let Some(error) = errors.into_iter().flatten().next() else { return Ok(result) };
        // What was made on a lost device is invalid, but that is not what is wrong.
        self.alive()?;
        Err(error)
    }

    fn not_known_lost(&self) -> Result<(), Error> {
        match self.lost.get() {
            None => Ok(()),
            Some(reason) => Err(Error::DeviceLost { reason: reason.clone() }),
        }
    }

    /// An error once the device is lost. Every call from outside ends with this.
    ///
    /// A lost device refuses every call without a word, no error reaches a scope. Its owner's callback may
    /// be told, which is not ours on a device that an application made, and comes late on one that was
    /// destroyed. So this asks for something that is an error on any other device: silence tells. It costs
    /// one microsecond.
    pub(super) fn alive(&self) -> Result<(), Error> {
        self.not_known_lost()?;
        if cfg!(target_arch = "wasm32") {
            // No answer would be there yet. A lost device shows when something is read back.
            return Ok(());
        }
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let _invalid = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("gpuscan: a buffer without usages, to see whether the device is lost"),
            size: 0,
            usage: wgpu::BufferUsages::empty(),
            mapped_at_creation: false,
        });
        if let Some(None) = now(scope.pop()) {
            let _ = self.lost.set("it was destroyed, or its owner was told why".into());
        }
        self.not_known_lost()
    }

    /// Blocks until everything submitted so far is done. In a browser it returns at once.
    pub fn wait(&self) -> Result<(), Error> {
        self.not_known_lost()?;
        // wgpu panics when the driver fails while it waits. Nothing of ours is changed in between, so
        // there is nothing that could be seen half-done.
        let wait = std::panic::AssertUnwindSafe(|| self.device.poll(wgpu::PollType::wait_indefinitely()));
        let outcome = std::panic::catch_unwind(wait);
        self.alive()?;
        match outcome {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => {
                Err(Error::Driver { what: "waiting for the device", message: error.to_string() })
            }
            Err(_) => Err(Error::DeviceLost { reason: "the driver failed while it was waited for".into() }),
        }
    }
}
