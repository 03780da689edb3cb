//! Installed models: their paths, integrity checks, and opening one.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context as _;
use pimem_core::{
    embed::catalog::{self, Embedder, Model, TextRole, Unavailable},
    model::hash::{self, first_64},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    fastembed,
    native::{Native, NativeWeights, PIECES, WEIGHTS},
    runtime::{self, Library, RuntimeOrigin},
    worker::{Program, Worker},
};
use crate::store::read;

/// Name of the manifest in a model's directory.
pub const MANIFEST: &str = "pimem-model.json";
/// Name of the record of an installed library.
pub const RUNTIME: &str = "pimem-runtime.json";
/// Maximum dimension of a model, so that a damaged manifest cannot cause a huge allocation.
pub const MAX_DIMENSION: usize = 1 << 16;
/// Schema name, the first field of both files.
const SCHEMA: &str = "pimem.installed/1";
/// Number of tokens of a text that are embedded; later ones have no influence. Entries are shorter,
/// and below this ONNX Runtime's time for a query hardly grows: 27 ms for 10 words, 54 ms for 170.
pub const MAX_TOKENS: usize = 256;
/// Time limit of a trial.
pub const TRIAL: Duration = Duration::from_mins(1);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Name without a directory.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelManifest {
    schema: String,
    pub model: Model,
    /// Where the model came from.
    pub source: String,
    /// Number of tokens of a text that are embedded.
    pub max_tokens: usize,
    /// Name of the output to use; `None` for the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    pub files: Vec<FileRecord>,
}

impl ModelManifest {
    /// Creates a manifest. The revision of its model is a hash of the files and of how they are
    /// used.
    pub fn new(
        mut model: Model,
        source: String,
        output: Option<String>,
        max_tokens: usize,
        files: Vec<FileRecord>,
    ) -> Self {
        let mut hash = Sha256::new();
        for file in &files {
            hash.update(format!("{} {}\n", file.name, file.sha256));
        }
        hash.update(format!("{max_tokens} {}", output.as_deref().unwrap_or_default()));
        model.revision = format!("{:016x}", first_64(hash));
        Self { schema: SCHEMA.to_owned(), model, source, max_tokens, output, files }
    }

    /// Reads the manifest in a model's directory; `None` if it does not exist.
    pub fn read(dir: &Path) -> Result<Option<Self>, Unavailable> {
        let manifest: Option<Self> = document(dir, MANIFEST)?;
        let fits = |it: &Self| it.schema == SCHEMA && it.model.dimension <= MAX_DIMENSION;
        Ok(manifest.filter(fits))
    }

    /// Returns true if this process computes the model, and not ONNX Runtime.
    pub fn is_native(&self) -> bool {
        self.has(WEIGHTS)
    }

    fn has(&self, name: &str) -> bool {
        self.files.iter().any(|file| file.name == name)
    }

    /// Opens a native model in its directory. `deadline` is that of [`Native::new`].
    pub fn native(&self, dir: &Path, deadline: Option<Duration>) -> Result<Native, Unavailable> {
        let weights = NativeWeights::read(dir, self.has(PIECES))?;
        if weights.transformer().is_ok_and(|it| it.dimension() != self.model.dimension) {
            return Err(Unavailable(format!("{} is damaged", dir.join(MANIFEST).display())));
        }
        Ok(Native::new(self.model.clone(), weights, deadline))
    }

    /// Checks the files by their sizes, which is fast. Returns what is wrong.
    fn damage(&self, dir: &Path) -> Option<String> {
        self.files.iter().find_map(|file| file.damage(dir))
    }
}

impl FileRecord {
    fn damage(&self, dir: &Path) -> Option<String> {
        let path = dir.join(&self.name);
        match fs::metadata(&path) {
            Ok(meta) if meta.is_file() && meta.len() == self.size => None,
            Ok(_) => Some(format!("{} is damaged", path.display())),
            Err(_) => Some(format!("{} is missing", path.display())),
        }
    }

    /// Checks the whole content of the file. Returns what is wrong.
    pub fn deep_damage(&self, dir: &Path) -> Option<String> {
        let path = dir.join(&self.name);
        let shallow = self.damage(dir);
        shallow.or_else(|| match digest(&path) {
            Ok(sha256) if sha256 == self.sha256 => None,
            Ok(_) => Some(format!("{} is damaged", path.display())),
            Err(error) => Some(format!("cannot read {}: {error}", path.display())),
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuntimeRecord {
    schema: String,
    pub file: FileRecord,
}

impl RuntimeRecord {
    pub fn new(file: FileRecord) -> Self {
        Self { schema: SCHEMA.to_owned(), file }
    }
}

#[derive(Debug, Clone)]
pub struct Models {
    cache: PathBuf,
    setting: Option<PathBuf>,
    variable: Option<PathBuf>,
    program: PathBuf,
}

impl Models {
    /// `cache` is the user's cache directory, `setting` the value of `embedding.runtime`,
    /// `variable` that of `ORT_DYLIB_PATH`, and `program` the path of this program.
    pub fn new(cache: &Path, setting: &str, variable: Option<&OsStr>, program: PathBuf) -> Self {
        let setting = Some(setting).filter(|setting| !setting.is_empty()).map(PathBuf::from);
        let variable = variable.map(PathBuf::from);
        Self { cache: cache.join("pimem"), setting, variable, program }
    }

    pub fn root(&self) -> PathBuf {
        self.cache.join("models")
    }

    /// Returns the directory of a model, which need not exist.
    pub fn dir(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Returns the directory of what is known of Ollama's models.
    pub fn ollama_dir(&self) -> PathBuf {
        self.cache.join("ollama")
    }

    pub fn runtime_dir(&self) -> PathBuf {
        self.cache.join("runtime")
    }

    /// Returns the names of installed models, sorted.
    pub fn installed(&self) -> Vec<String> {
        let found = fs::read_dir(self.root()).into_iter().flatten().flatten();
        let names = found.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names
            .filter(|name| catalog::is_usable(name) && self.dir(name).join(MANIFEST).is_file())
            .collect();
        names.sort_unstable();
        names
    }

    /// Returns the manifest of an installed model, without starting a process.
    pub fn manifest(&self, name: &str) -> Result<ModelManifest, Unavailable> {
        let name = catalog::canonical(name);
        let missing =
            || Unavailable(format!("the model {name} is not installed (pimem model pull {name})"));
        if !catalog::is_usable(&name) {
            return Err(Unavailable(format!("there is no model {name:?}")));
        }
        ModelManifest::read(&self.dir(&name))?.ok_or_else(missing)
    }

    /// Opens an installed model, after checking the sizes of its files and, for one in ONNX, that
    /// there is a library. The process of that starts with the first text. `deadline` includes that,
    /// and applies to all calls together.
    pub fn open(
        &self,
        name: &str,
        deadline: Option<Duration>,
    ) -> Result<Box<dyn Embedder>, Unavailable> {
        let manifest = self.manifest(name)?;
        let dir = self.dir(&manifest.model.id);
        if let Some(damage) = manifest.damage(&dir) {
            return Err(Unavailable(damage));
        }
        if manifest.is_native() {
            return Ok(Box::new(manifest.native(&dir, deadline)?));
        }
        let library = self.library()?;
        Ok(Box::new(self.worker(manifest.model, &dir, &library, deadline)))
    }

    /// Returns the worker for the model in `dir`.
    pub fn worker(
        &self,
        model: Model,
        dir: &Path,
        library: &Library,
        deadline: Option<Duration>,
    ) -> Worker {
        Worker::new(model, self.child(library, Some(dir)), deadline)
    }

    fn child(&self, library: &Library, dir: Option<&Path>) -> Program {
        let mut args = vec!["model".into(), "embed".into(), "--runtime".into()];
        args.push(library.path.clone().into_os_string());
        args.extend(dir.map(|dir| dir.as_os_str().to_owned()));
        Program { path: self.program.clone(), args }
    }

    /// Returns the version of a library, which another process loads.
    pub fn version(&self, library: &Library) -> Result<String, Unavailable> {
        let nothing = catalog::model("", 2, pimem_core::embed::catalog::Pooling::Mean);
        let mut worker = Worker::new(nothing, self.child(library, None), Some(TRIAL));
        let numbers: Vec<String> = worker.raw("")?.iter().map(ToString::to_string).collect();
        Ok(numbers.join("."))
    }

    /// Returns the library to load: the configured one, or else the installed one, or else the
    /// system's.
    pub fn library(&self) -> Result<Library, Unavailable> {
        if !fastembed::INCLUDED {
            return Err(Unavailable("this build has no models but those built in".to_owned()));
        }
        let named =
            [(&self.setting, RuntimeOrigin::Setting), (&self.variable, RuntimeOrigin::Variable)];
        for (path, origin) in named {
            let Some(path) = path else { continue };
            let library = Library { path: path.clone(), origin };
            runtime::check(path)
                .map_err(|wrong| Unavailable(format!("{wrong} ({})", origin.name())))?;
            return Ok(library);
        }
        let record: Option<RuntimeRecord> = document(&self.runtime_dir(), RUNTIME)?;
        if let Some(RuntimeRecord { file, .. }) = record {
            let path = self.runtime_dir().join(&file.name);
            return match file.damage(&self.runtime_dir()) {
                Some(damage) => Err(Unavailable(damage)),
                None => Ok(Library { path, origin: RuntimeOrigin::Installed }),
            };
        }
        let library = runtime::of_system().ok_or_else(|| {
            Unavailable(
                "there is no ONNX Runtime library (pimem model pull --runtime PATH)".to_owned(),
            )
        })?;
        runtime::check(&library.path).map_err(|wrong| Unavailable(wrong.to_string()))?;
        Ok(library)
    }
}

/// Reads one of our JSON files. A file that cannot be parsed counts as missing.
fn document<T: for<'a> Deserialize<'a>>(dir: &Path, name: &str) -> Result<Option<T>, Unavailable> {
    match read::file(dir, &dir.join(name), read::MAX_FILE) {
        Ok(bytes) => Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok())),
        Err(problem) => Err(Unavailable(problem.to_string())),
    }
}

/// Returns the SHA-256 of a file, in hexadecimal.
pub fn digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hash::write_hex(&hash.finalize()));
        }
        hash.update(buffer.get(..read).unwrap_or_default());
    }
}

/// Embeds texts from standard input in this process, which is the child that [`Models::worker`]
/// starts.
pub fn serve(
    library: &Path,
    dir: Option<&Path>,
    input: &mut dyn io::BufRead,
    write: &mut dyn FnMut(&str) -> io::Result<()>,
) -> anyhow::Result<()> {
    let loaded = match dir {
        None => fastembed::version(library).map(|version| (None, version)),
        Some(dir) => fastembed::load(library, dir).map(|session| (Some(session), Vec::new())),
    };
    let (mut session, version) = match loaded {
        Ok(loaded) => loaded,
        Err(error) => {
            let error = error.0.split_whitespace().collect::<Vec<_>>().join(" ");
            write(&serde_json::json!({ "error": error }).to_string())?;
            anyhow::bail!(error);
        }
    };
    answer(input, write, &mut |text| match &mut session {
        None => Ok(version.clone()),
        Some(session) => session.embed(text),
    })
}

/// Embeds texts from standard input by the native model in `dir`.
pub fn serve_native(
    dir: &Path,
    input: &mut dyn io::BufRead,
    write: &mut dyn FnMut(&str) -> io::Result<()>,
) -> anyhow::Result<()> {
    let manifest = ModelManifest::read(dir)?
        .ok_or_else(|| Unavailable(format!("there is no model in {}", dir.display())))?;
    answer_by(&mut manifest.native(dir, None)?, input, write)
}

/// Answers each text of standard input with its vector by a model.
pub fn answer_by(
    model: &mut dyn Embedder,
    input: &mut dyn io::BufRead,
    write: &mut dyn FnMut(&str) -> io::Result<()>,
) -> anyhow::Result<()> {
    answer(input, write, &mut |text| {
        let vectors = model.embed(TextRole::Passage, &[text], &mut |_| ())?;
        vectors.into_iter().next().ok_or_else(|| Unavailable("there is no vector".to_owned()))
    })
}

/// Answers each text of standard input, a JSON string a line, with a vector or an error.
fn answer(
    input: &mut dyn io::BufRead,
    write: &mut dyn FnMut(&str) -> io::Result<()>,
    embed: &mut dyn FnMut(&str) -> Result<Vec<f32>, Unavailable>,
) -> anyhow::Result<()> {
    let mut line = String::new();
    while input.read_line(&mut line).context("cannot read standard input")? > 0 {
        let text: String =
            serde_json::from_str(&line).context("a line of standard input is no JSON string")?;
        match embed(&text) {
            Ok(vector) => write(&serde_json::to_string(&vector)?)?,
            Err(Unavailable(error)) => write(&serde_json::json!({ "error": error }).to_string())?,
        }
        line.clear();
    }
    Ok(())
}
