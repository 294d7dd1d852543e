//! Errors that come after the call. Native backends know at once what their error scopes caught; a browser
//! answers later. The answer is kept, and is the result of the next call, or of the next download.

use std::{
    collections::VecDeque,
    fmt,
    pin::Pin,
    sync::{Mutex, PoisonError},
    task::{Context, Poll, Waker},
};

use crate::error::Error;

type Answer = Pin<Box<dyn AnswerFuture>>;

/// What an error scope's `pop` gives: on native backends it may change threads.
#[cfg(not(target_arch = "wasm32"))]
pub(super) trait AnswerFuture: Future<Output = Option<wgpu::Error>> + Send {}
#[cfg(not(target_arch = "wasm32"))]
impl<F: Future<Output = Option<wgpu::Error>> + Send> AnswerFuture for F {}
#[cfg(target_arch = "wasm32")]
pub(super) trait AnswerFuture: Future<Output = Option<wgpu::Error>> {}
#[cfg(target_arch = "wasm32")]
impl<F: Future<Output = Option<wgpu::Error>>> AnswerFuture for F {}

/// The answers that have not come yet, the oldest first.
#[derive(Default)]
pub(super) struct Late(Mutex<VecDeque<Question>>);

struct Question {
    /// What was being done, and with how much memory.
    what: &'static str,
    bytes: u64,
    answer: Answer,
}

impl Question {
    /// The answer, if it has come.
    fn poll(&mut self) -> Poll<Option<Error>> {
        let answer = self.answer.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        answer.map(|error| self.error(error))
    }

    fn error(&self, error: Option<wgpu::Error>) -> Option<Error> {
        Some(match error? {
            wgpu::Error::OutOfMemory { .. } => Error::OutOfMemory { what: self.what, bytes: self.bytes },
            other => Error::Driver { what: self.what, message: other.to_string() },
        })
    }
}

impl Late {
    /// The error that a scope caught, if that is known; if not, it is kept for later.
    pub fn ask(&self, what: &'static str, bytes: u64, answer: impl AnswerFuture + 'static) -> Option<Error> {
        let mut question = Question { what, bytes, answer: Box::pin(answer) };
        match question.poll() {
            Poll::Ready(error) => error,
            Poll::Pending => {
                self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(question);
                None
            }
        }
    }

    /// The first error among the answers that have come by now.
    pub fn arrived(&self) -> Result<(), Error> {
        let mut questions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(question) = questions.front_mut() {
            // They come in the order of the questions.
            let Poll::Ready(error) = question.poll() else { break };
            questions.pop_front();
            if let Some(error) = error {
                return Err(error);
            }
        }
        Ok(())
    }

    /// The first error among all answers, when they have come.
    pub async fn settled(&self) -> Result<(), Error> {
        let questions = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut first = Ok(());
        for mut question in questions {
            let answer = question.answer.as_mut().await;
            if let (Ok(()), Some(error)) = (&first, question.error(answer)) {
                first = Err(error);
            }
        }
        first
    }
}

impl fmt::Debug for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Late")
    }
}
