//! Weights of a model that were packed: damaged ones are refused, and with those that are read a vector can
//! be computed. Hashes and lengths are made right first, for what they guard to be reached.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pimem_encoder::{
    Encoder, Level,
    pack::{Hash, Pack, PackError},
};

const VOCABULARY: Hash = [7; 32];
const HEADER: usize = 128;

fuzz_target!(|bytes: &[u8]| {
    if let Some((hash, rest)) = bytes.split_first_chunk() {
        drop(Pack::read(rest, hash).map(|pack| pack.verify()));
    }
    let mut sealed = bytes.to_vec();
    let Some((header, _)) = sealed.split_first_chunk_mut::<HEADER>() else { return };
    header[..8].copy_from_slice(b"pimembt\x01");
    header[8..16].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    header[48..80].copy_from_slice(&VOCABULARY);
    // Layers begin at one of these.
    for first in (HEADER..=bytes.len()).step_by(64) {
        let samples = hash_of(&bytes[first..bytes.len().min(first + 16)]);
        sealed[112..120].copy_from_slice(&samples.to_le_bytes());
        let header = hash_of(&sealed[..120]);
        sealed[120..128].copy_from_slice(&header.to_le_bytes());
        match Pack::read(&sealed, &VOCABULARY) {
            Err(PackError::Layers) => {}
            Err(_) => return,
            Ok(pack) => {
                assert_eq!(pack.size(), bytes.len());
                let hidden = pack.shape.hidden;
                let texts = [vec![0, 1, u16::MAX], Vec::new(), vec![2; 5]];
                let vectors = Encoder::new(pack).embed(Level::new(), &texts);
                assert!(vectors.len() == 3 && vectors.iter().all(|vector| vector.len() == hidden));
                return;
            }
        }
    }
});

/// FNV-1a of 64 bits.
fn hash_of(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}
