//! Brings the schema up to date, or says what would be done.

use crate::{
    config::ServerConfig,
    db::{migrate, pool},
};

/// Applies the missing migrations and tells them; with `plan`, only tells all. `is_restored` is as in
/// [`migrate::migrate`].
///
/// # Errors
///
/// The database is away, or its schema cannot be brought up to date.
pub async fn run(config: &ServerConfig, plan: bool, is_restored: bool) -> anyhow::Result<String> {
    let mut client = pool::connect(config).await?;
    let steps = if plan {
        migrate::plan(&client).await?
    } else {
        migrate::migrate(&mut client, is_restored).await?
    };
    if steps.is_empty() {
        return Ok("the schema is up to date\n".to_owned());
    }
    let tell = |step: &migrate::Migration| {
        let state = if step.applied { "applied" } else { "missing" };
        format!("{:04} {} {state}\n", step.number, step.name)
    };
    Ok(steps.iter().map(tell).collect())
}
