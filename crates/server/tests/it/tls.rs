//! TLS of the server itself.

use std::{fs, net::TcpStream, path::Path, process::Command, sync::Arc};

use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};
use std::io::Write as _;

use crate::common::{
    http::{Answer, answer},
    pg::Cluster,
    server::{Server, fails},
};

/// Makes a certificate and its key. False where there is no openssl.
fn certificate(cert: &Path, key: &Path) -> bool {
    let mut openssl = Command::new("openssl");
    openssl.args([
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
    ]);
    openssl.args([
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=DNS:localhost",
    ]);
    // A certificate that signs others is none of a server.
    openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
    openssl.arg("-out").arg(cert).arg("-keyout").arg(key);
    let made = openssl.output().is_ok_and(|done| done.status.success());
    let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(made || !is_ci, "this test needs openssl");
    made
}

fn ask(server: &Server, cert: &Path) -> Option<Answer> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(cert).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(connection, TcpStream::connect(server.address).unwrap());
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").ok()?;
    answer(stream)
}

#[test]
fn a_server_with_a_certificate() {
    let Some(cluster) = Cluster::shared() else { return };
    let dir = std::path::PathBuf::from(format!("/tmp/pimem-pg-{}-tls", std::process::id()));
    fs::create_dir(&dir).unwrap();
    let (cert, key, other) = (dir.join("cert.pem"), dir.join("key.pem"), dir.join("other.pem"));
    if !certificate(&cert, &key) || !certificate(&other, &dir.join("other-key.pem")) {
        fs::remove_dir_all(&dir).unwrap();
        println!("not tested without openssl");
        return;
    }
    let database = cluster.database();
    let options = ["--tls-cert", cert.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    let server = Server::start_with(&database, &options);
    assert_eq!(ask(&server, &cert).unwrap().status, 200);
    assert!(ask(&server, &other).is_none(), "a client that knows another certificate refuses");
    let plain = crate::common::http::request(server.address, "GET", "/healthz", &[], None);
    assert!(plain.is_none(), "nothing is answered in the clear");
    let told = fails(&database, &["serve", "--tls-cert", "/nowhere", "--tls-key", "/nowhere"]);
    assert!(told.contains("tls-cert and tls-key"), "{told}");
    fs::remove_dir_all(&dir).unwrap();
}
