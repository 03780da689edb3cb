//! How many connections there are at once. One more is closed before it is read from.

use std::{
    future::{Ready, ready},
    io,
    sync::Arc,
    task::{Context, Poll},
};

use axum_server::accept::Accept;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::Service;

/// Accepts while there is room.
#[derive(Debug, Clone)]
pub struct Limited(Arc<Semaphore>);

impl Limited {
    /// Returns an acceptor for at most `most` connections.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Semaphore::new(most)))
    }
}

/// The service of one connection, which has its place until it ends.
#[derive(Debug, Clone)]
pub struct Placed<S> {
    service: S,
    _place: Arc<OwnedSemaphorePermit>,
}

impl<I, S> Accept<I, S> for Limited {
    type Stream = I;
    type Service = Placed<S>;
    type Future = Ready<io::Result<(I, Placed<S>)>>;

    fn accept(&self, stream: I, service: S) -> Self::Future {
        ready(match Arc::clone(&self.0).try_acquire_owned() {
            Ok(place) => Ok((stream, Placed { service, _place: Arc::new(place) })),
            Err(_) => Err(io::Error::other("no room for more connections")),
        })
    }
}

impl<S: Service<R>, R> Service<R> for Placed<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> S::Future {
        self.service.call(request)
    }
}
