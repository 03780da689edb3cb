//! How many connections there are at once. Where there is no room for one more, the oldest that
//! does nothing and has shown no key makes room; if there is none, the new one is closed before it
//! is read from.

use std::{
    collections::BTreeMap,
    future::{Future, Ready, ready},
    io,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
};

use axum::http::Request;
use axum_server::accept::Accept;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tower::Service;

/// Accepts while there is room.
#[derive(Debug, Clone)]
pub struct Limited(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    most: usize,
    open: Mutex<Open>,
}

/// The connections by their numbers, the oldest first.
#[derive(Debug, Default)]
struct Open {
    next: u64,
    all: BTreeMap<u64, Arc<Connection>>,
}

/// What is known of a connection. Requests carry it in their extensions.
#[derive(Debug, Default)]
pub struct Connection {
    has_key: AtomicBool,
    /// Number of requests that are not answered yet.
    busy: AtomicUsize,
    closed: AtomicBool,
    /// Wakes who reads from it.
    reader: Mutex<Option<Waker>>,
}

impl Connection {
    /// Notes that a request had a key that counts.
    pub fn note_key(&self) {
        self.has_key.store(true, Ordering::Relaxed);
    }

    fn may_go(&self) -> bool {
        !self.has_key.load(Ordering::Relaxed) && self.busy.load(Ordering::Relaxed) == 0
    }

    fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        if let Some(reader) = lock(&self.reader).take() {
            reader.wake();
        }
    }

    fn check(&self) -> io::Result<()> {
        if self.closed.load(Ordering::SeqCst) {
            return Err(io::Error::from(io::ErrorKind::ConnectionAborted));
        }
        Ok(())
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Limited {
    /// Returns an acceptor for at most `most` connections.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Shared { most, open: Mutex::default() }))
    }

    /// Returns a place for one more connection, if there is one or can be made.
    fn place(&self) -> Option<Place> {
        let mut open = lock(&self.0.open);
        if open.all.len() >= self.0.most {
            let (number, _) = open.all.iter().find(|(_, connection)| connection.may_go())?;
            let number = *number;
            open.all.remove(&number)?.close();
        }
        let (number, connection) = (open.next, Arc::<Connection>::default());
        open.next += 1;
        open.all.insert(number, Arc::clone(&connection));
        Some(Place { shared: Arc::clone(&self.0), number, connection })
    }
}

/// The place of a connection, which is free again when it is dropped.
#[derive(Debug)]
struct Place {
    shared: Arc<Shared>,
    number: u64,
    connection: Arc<Connection>,
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.shared.open).all.remove(&self.number);
    }
}

/// The service of one connection, which has its place until it ends.
#[derive(Debug, Clone)]
pub struct Placed<S> {
    service: S,
    place: Arc<Place>,
}

/// A stream that ends when its connection has to make room.
#[derive(Debug)]
pub struct Closable<I> {
    stream: I,
    connection: Arc<Connection>,
}

impl<I, S> Accept<I, S> for Limited {
    type Stream = Closable<I>;
    type Service = Placed<S>;
    type Future = Ready<io::Result<(Closable<I>, Placed<S>)>>;

    fn accept(&self, stream: I, service: S) -> Self::Future {
        ready(match self.place() {
            Some(place) => {
                let connection = Arc::clone(&place.connection);
                Ok((Closable { stream, connection }, Placed { service, place: Arc::new(place) }))
            }
            None => Err(io::Error::other("no room for more connections")),
        })
    }
}

/// A request that is being answered.
struct Busy(Arc<Connection>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<S, B> Service<Request<B>> for Placed<S>
where
    S: Service<Request<B>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let connection = Arc::clone(&self.place.connection);
        connection.busy.fetch_add(1, Ordering::Relaxed);
        let busy = Busy(Arc::clone(&connection));
        request.extensions_mut().insert(connection);
        let answer = self.service.call(request);
        Box::pin(async move {
            let _busy = busy;
            answer.await
        })
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for Closable<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        *lock(&self.connection.reader) = Some(cx.waker().clone());
        self.connection.check()?;
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for Closable<I> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.connection.check()?;
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_idle_connection_without_a_key_makes_room() {
        let limited = Limited::new(3);
        let mut places: Vec<Place> = (0..3).map_while(|_| limited.place()).collect();
        assert_eq!(places.len(), 3);
        places[0].connection.note_key();
        let busy = Busy(Arc::clone(&places[1].connection));
        busy.0.busy.fetch_add(1, Ordering::Relaxed);
        places.push(limited.place().expect("the third goes"));
        let closed = |places: &[Place]| -> Vec<bool> {
            places.iter().map(|place| place.connection.check().is_err()).collect()
        };
        assert_eq!(closed(&places), [false, false, true, false]);
        drop(busy);
        places.push(limited.place().expect("the second is idle now"));
        assert_eq!(closed(&places), [false, true, true, false, false]);
        // Those with a key stay, whoever comes.
        for place in &places {
            place.connection.note_key();
        }
        assert!(limited.place().is_none());
        // A connection that was closed has no place that another could get by its end.
        drop(places.remove(1));
        assert!(limited.place().is_none());
        drop(places.remove(0));
        assert!(limited.place().is_some());
    }
}
