//! What a program that was built without the feature `sync` has in place of a client.

use pimem_core::sync::wire::{KeyOwner, PulledPage, PushBody, PushResult};

use super::ServerKey;
use crate::{
    config::env::Env,
    error::{Failure, FailureKind},
};

pub struct Client(std::convert::Infallible);

impl Client {
    /// Refuses, because there is no client.
    pub fn new(_: &str, _: ServerKey, _: bool, _: &Env) -> Result<Self, Failure> {
        let hint = "cargo install --features sync has it; --with, --bundle and --from need none";
        Err(Failure::new(FailureKind::Usage, "this pimem was built without servers", hint))
    }

    pub fn is_spent(&self) -> bool {
        match self.0 {}
    }

    pub fn host(&self) -> String {
        match self.0 {}
    }

    pub fn me(&self) -> Result<KeyOwner, Failure> {
        match self.0 {}
    }

    pub fn push(&self, _: &PushBody) -> Result<PushResult, Failure> {
        match self.0 {}
    }

    pub fn pull(&self, _: &str, _: Option<&str>) -> Result<Option<PulledPage>, Failure> {
        match self.0 {}
    }
}
