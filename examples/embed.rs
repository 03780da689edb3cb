//! A program with its own memory: it adds an entry, searches, and prints the report.
//!
//! `cargo run --example embed DIR` keeps the memory in DIR.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a program of its own")]

use std::{env, error::Error, path::PathBuf, rc::Rc, time::SystemTime};

use pimem_core::search::bm25::Query;
use pimem_engine::{
    config::env::Env,
    memory::{
        AddRequest, Memory, NewText, Rejected, ReportRequest, SearchRequest, Silent, StoreWish,
        Vantage,
    },
};

fn main() -> Result<(), Box<dyn Error>> {
    let dir = env::args_os().nth(1).map(PathBuf::from).ok_or("embed DIR")?;
    let wish = StoreWish { dir: Some(dir), ..StoreWish::default() };
    let (here, now) = (env::current_dir()?, SystemTime::now());
    let memory = Memory::open(here, now, wish, Env::of_process(), Vantage::Typed, Rc::new(Silent))?;

    let text = NewText::stated(&memory, "decision", "Use PostgreSQL for all services")?;
    let request = AddRequest { texts: vec![text], ..AddRequest::default() };
    for added in memory.writing().add(request).map_err(|Rejected { failure, .. }| failure)? {
        println!("{}: [{}] {}", added.action, added.category, added.text);
    }

    let query = Query::new("postgresql");
    for hit in memory.reading().search(&SearchRequest::new(&query))?.hits {
        println!("{:.2} {}", hit.score, hit.text);
    }

    print!("{}", memory.reading().report(&ReportRequest::default())?.view.text);
    Ok(())
}
