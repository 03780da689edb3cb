//! PostgreSQL: connections, migrations, and transactions of one organisation.

pub mod audit;
pub mod error;
pub mod migrate;
pub mod pool;
pub mod tenant;
