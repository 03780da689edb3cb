//! Values that a short process leaves to the operating system.

use std::{
    mem,
    ops::{Deref, DerefMut},
};

/// A value that is leaked when its process ends soon. Freeing thousands of strings one by one takes
/// longer than ending the process.
#[derive(Debug)]
pub struct Leaky<T: Default> {
    value: T,
    leak: bool,
}

impl<T: Default> Leaky<T> {
    pub fn new(value: T, leak: bool) -> Self {
        Self { value, leak }
    }

    /// Returns the value, which is then freed as any other.
    pub fn into_inner(mut self) -> T {
        mem::take(&mut self.value)
    }
}

impl<T: Default> Deref for Leaky<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Default> DerefMut for Leaky<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T: Default> Drop for Leaky<T> {
    fn drop(&mut self) {
        if self.leak {
            mem::forget(mem::take(&mut self.value));
        }
    }
}
