//! Packs original weights at their installation, if this program can compute the model.

use std::fs::File;

use super::{
    bert::{self, NotBert},
    install::{CONFIG, TOKENIZER, TOKENIZER_CONFIG, Wish, missing},
    native::{PIECES, WEIGHTS},
    safetensors::{Safetensors, SafetensorsError},
    staging::{InstallError, ModelSource, Progress, Stage, small},
};
use pimem_core::embed::{
    catalog::{self, Pooling},
    transformer::{self, Hash, Original, PackedPooling, VOCABULARY, pack},
};

/// Name of the file with original weights.
pub const SAFETENSORS: &str = "model.safetensors";

/// What became of original weights.
pub enum PackingOutcome {
    /// Packed weights are in the stage.
    Packed(Original),
    /// This program cannot compute the model.
    Unsupported(NotBert),
    /// There are none.
    Absent,
}

/// Packs the original weights of a source into the stage.
///
/// # Errors
/// If they are damaged, or not those of the known model that they are installed as.
pub fn prepare(
    stage: &mut Stage,
    wish: &Wish,
    source: &dyn ModelSource,
    progress: Progress<'_>,
) -> Result<PackingOutcome, InstallError> {
    let known = wish.known.as_ref();
    let weights = known.and_then(|known| known.weights);
    let is_export = known.is_some_and(|known| known.pin.is_some() && weights.is_none());
    if is_export || catalog::is_quantised(&wish.name) {
        return Ok(PackingOutcome::Absent);
    }
    let Some(opened) = source.open(SAFETENSORS)? else { return Ok(PackingOutcome::Absent) };
    let files = bert::BertFiles {
        config: small(source, CONFIG)?.ok_or_else(|| missing(source, CONFIG))?,
        tokenizer: small(source, TOKENIZER)?,
        vocabulary: small(source, PIECES)?,
        tokenizer_config: small(source, TOKENIZER_CONFIG)?,
        modules: small(source, "modules.json")?,
    };
    let mut bert = match bert::read(&files) {
        Ok(bert) => bert,
        Err(why) => return Ok(PackingOutcome::Unsupported(why)),
    };
    bert.original.shape.pooling = match wish.pooling(source)? {
        Pooling::Cls => PackedPooling::First,
        Pooling::Mean | Pooling::Sum => PackedPooling::Mean,
    };
    let name = opened.name.clone();
    stage.copy(SAFETENSORS, opened, progress)?;
    wish.check_pin(weights.map(|weights| weights.pin), &name, stage.files.last())?;
    let vocabulary = transformer::hash(&bert.pieces);
    if weights.is_some() && vocabulary != VOCABULARY {
        let message = format!("{} has not the vocabulary of {}", source.name(), wish.name);
        return Err(InstallError::refused(message, "nothing was installed"));
    }
    let packed = packed(stage, &bert.original, &vocabulary).map_err(|wrong| match wrong {
        SafetensorsError::Io(error) => {
            InstallError::Io(anyhow::Error::new(error).context(format!("cannot read {name}")))
        }
        wrong => InstallError::refused(format!("{name} {wrong}"), "nothing was installed"),
    })?;
    stage.discard(SAFETENSORS)?;
    stage.write(WEIGHTS, &packed)?;
    if vocabulary != VOCABULARY {
        stage.write(PIECES, format!("{}\n", bert.pieces.join("\n")).as_bytes())?;
    }
    Ok(PackingOutcome::Packed(bert.original))
}

/// Packs the staged weights.
fn packed(
    stage: &Stage,
    original: &Original,
    vocabulary: &Hash,
) -> Result<Vec<u8>, SafetensorsError> {
    let file = File::open(stage.dir.join(SAFETENSORS))?;
    let length = file.metadata()?.len();
    let mut tensors = Safetensors::open(file, length)?;
    pack(original, vocabulary, &mut |name, sizes| tensors.read(name, sizes))
}
