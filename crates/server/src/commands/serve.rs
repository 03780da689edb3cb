//! Answers requests until it is told to end.

use std::{
    net::SocketAddr,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use anyhow::Context as _;
use axum::Router;
use axum_server::{
    Handle, Server,
    accept::Accept,
    tls_rustls::{RustlsAcceptor, RustlsConfig},
};
use hyper_util::rt::TokioTimer;
use serde_json::json;
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    signal::unix::{SignalKind, signal},
};

use crate::{
    clock,
    config::ServerConfig,
    db,
    http::{
        connections::Limited,
        layers::{App, Shared},
    },
    index::{self, worker},
    log,
    routes::router,
    secret::SecretSource,
};

/// Time within which the head of a request arrives, and how long an idle connection is kept.
const HEAD: Duration = Duration::from_secs(10);
/// Connections that the system keeps until they are accepted.
const BACKLOG: u32 = 1024;
/// Time for requests to end after the listener has closed.
const DRAINS: Duration = Duration::from_secs(20);

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// It would be open to a network in the clear, the schema is not of this program, or an address
/// is taken.
pub async fn run(config: ServerConfig) -> anyhow::Result<()> {
    config.check_exposure()?;
    {
        let client = db::connect(&config).await?;
        db::check(&client).await?;
    }
    let tls = match &config.tls {
        None => None,
        Some((cert, key)) => {
            let read = RustlsConfig::from_pem_file(cert, key).await;
            Some(read.context("tls-cert and tls-key")?)
        }
    };
    let app: Shared = Arc::new(App::new(config)?);
    if let (Some(why), true) = (app.keeper.trouble(), !matches!(app.config.key, SecretSource::None))
    {
        log::line("error", "no key for sealed organisations", json!({"error": why}));
    }
    let service = router::router(&app)?;
    // Before anything is announced, so that no signal ends the process unprepared.
    let (mut terminate, mut interrupt) =
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);

    let metrics = app.config.metrics.map(listen).transpose()?;
    let listener = listen(app.config.listen)?;
    let address = listener.local_addr()?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let metrics_address = metrics.as_ref().map(TcpListener::local_addr).transpose()?;
    log::line(
        "info",
        "listening",
        json!({"address": format!("{scheme}://{address}"),
            "metrics": metrics_address.map(|address| format!("http://{address}/metrics"))}),
    );

    tokio::spawn(watch(app.clone()));
    for _ in 0..app.config.workers {
        let (pool, bell, app) = (app.pools.work.clone(), app.bell.clone(), app.clone());
        tokio::spawn(worker::run(pool, bell, app.keeper.clone(), move || app.is_ending()));
    }
    let counts = app.clone();
    tokio::spawn(async move {
        counts.accesses.run(&counts.pools.work, || counts.is_ending()).await;
    });
    let handle = Handle::new();
    if let Some(metrics) = metrics {
        let server = Server::<SocketAddr>::from_listener(metrics).acceptor(Limited::new(16));
        tokio::spawn(serve(server, handle.clone(), router::metrics(&app)));
    }
    let limited = Limited::new(app.config.clients);
    let server = Server::<SocketAddr>::from_listener(listener);
    let serving = match tls {
        None => tokio::spawn(serve(server.acceptor(limited), handle.clone(), service)),
        Some(tls) => {
            let acceptor = RustlsAcceptor::new(tls).acceptor(limited);
            tokio::spawn(serve(server.acceptor(acceptor), handle.clone(), service))
        }
    };

    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    log::line("info", "ending", json!({}));
    app.end();
    tokio::time::sleep(app.config.drain).await;
    handle.graceful_shutdown(Some(DRAINS));
    serving.await??;
    drop(app.accesses.write(&app.pools.work, clock::stamp()).await);
    app.pools.close();
    log::line("info", "ended", json!({}));
    Ok(())
}

/// Keeps the length of the index queue at hand, so that a push need not count it.
async fn watch(app: Shared) {
    let mut every = tokio::time::interval(Duration::from_secs(1));
    while !app.is_ending() {
        every.tick().await;
        if let Ok(count) = index::count(&app.pools.work).await {
            app.waiting.store(count, Ordering::Relaxed);
        }
    }
}

fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let open = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    open().with_context(|| format!("listening on {address}"))
}

async fn serve<A>(
    server: Server<SocketAddr, A>,
    handle: Handle<SocketAddr>,
    service: Router,
) -> std::io::Result<()>
where
    A: Accept<TcpStream, Router> + Clone + Send + Sync + 'static,
    A::Stream: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send,
    A::Service:
        axum_server::service::SendService<axum::http::Request<hyper::body::Incoming>> + Send,
    A::Future: Send,
{
    let mut server = server.handle(handle).http1_only().first_request_timeout(HEAD);
    server.http_builder().http1().timer(TokioTimer::new()).header_read_timeout(HEAD);
    server.serve(service.into_make_service()).await
}
