//! The integration tests: one binary, one module per guarantee.
//!
//! All but those of the engine's public API (`memory`, `shortlist`) run the real program in a
//! [`common::sandbox::Sandbox`]. `PIMEM_BLESS=1` rewrites transcripts and generated files,
//! `PIMEM_TEST_SCALE=N` makes the races N times as long, and `PIMEM_TEST_ONNXRUNTIME=PATH` (see
//! `.ci/onnxruntime`) tests models with a real ONNX Runtime.
#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "tests prepare and damage files in any way")]
#![expect(clippy::print_stdout, reason = "what was skipped, and how far a test got, is said")]

mod absence;
mod action;
mod asked;
mod bad_files;
mod bad_input;
mod branches;
mod broken_settings;
mod check;
mod clean_tree;
mod closed;
mod cmd;
mod cold_and_warm;
mod collisions;
mod common;
mod completion;
mod crash;
mod day;
mod decisions;
mod discovery;
mod doors;
mod dream;
mod dream_learn;
#[cfg(feature = "llm")]
mod dream_model;
mod dream_run;
mod durable;
#[cfg(feature = "minilm")]
mod embedding;
mod empty;
mod eval_data;
mod every_command;
mod exchange;
mod explain;
mod faults;
mod forecast;
mod frozen;
mod generated;
#[cfg(feature = "sync")]
mod grave;
mod guards;
mod histories;
mod history;
mod hook_behaviour;
mod hook_calls;
mod hook_sessions;
mod hook_transcripts;
mod hook_trust;
mod hooks;
mod hooks_install;
mod hooks_trial;
mod hostile;
mod index;
mod index_histories;
mod leftovers;
mod links;
#[cfg(feature = "llm")]
mod llm;
#[cfg(not(feature = "llm"))]
mod llm_absent;
mod llm_command;
mod mcp;
mod mcp_transcripts;
mod meanwhile;
mod memory;
mod merge;
mod mirrors;
#[cfg(feature = "fastembed")]
mod model;
#[cfg(not(feature = "fastembed"))]
mod model_absent;
#[cfg(feature = "fastembed")]
mod model_native;
#[cfg(all(feature = "llm", feature = "fastembed"))]
mod model_ollama;
#[cfg(feature = "fastembed")]
mod model_runtime;
mod never_lost;
mod not_kept;
mod notes;
#[cfg(feature = "llm")]
mod observe;
mod origin;
mod own;
mod own_doubt;
mod page;
mod pasted;
mod places;
mod plugin;
mod policy;
mod race;
#[cfg(feature = "sync")]
mod recipes;
mod room;
#[cfg(unix)]
mod roots;
mod same_text;
mod scopes;
mod sealed;
mod sealed_beside;
mod sealed_lost;
mod sealed_merges;
mod sealed_steps;
mod sealed_vectors;
mod sealed_visits;
mod sessions;
mod shortlist;
mod status;
mod store;
mod sync;
#[cfg(feature = "sync")]
mod sync_clock;
#[cfg(feature = "sync")]
mod sync_sealed;
#[cfg(feature = "sync")]
mod sync_server;
mod telemetry;
mod terminal;
mod tidy;
mod topics;
mod trust;
mod trust_notes;
mod truth;
mod undo;
mod usage;
mod vectors;
#[cfg(feature = "fastembed")]
mod vectors_model;
mod ways_out;
