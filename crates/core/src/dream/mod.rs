//! Changes that a dream proposes for a store. Other modules carry them out.

pub mod learn;
pub mod plan;
pub mod proposals;
pub mod step;
pub mod vet;
