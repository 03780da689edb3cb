//! Weights of a model that were packed: damaged ones are refused.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pimem_encoder::pack::Pack;

fuzz_target!(|bytes: &[u8]| {
    let Some((hash, rest)) = bytes.split_first_chunk() else { return };
    if let Ok(pack) = Pack::read(rest, hash) {
        drop(pack.verify());
        assert!(pack.size() <= bytes.len());
    }
});
