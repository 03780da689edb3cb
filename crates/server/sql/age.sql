-- Rows of transactions that run, and all after them, wait to be pulled.
select
  (pg_snapshot_xmax(pg_current_snapshot())::text::numeric - pg_snapshot_xmin(pg_current_snapshot())::text::numeric)::float8,
  coalesce((select extract(epoch from max(now() - xact_start)) from pg_stat_activity where backend_xid is not null), 0)::float8
