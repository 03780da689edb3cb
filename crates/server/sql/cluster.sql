select c.identity, c.secret, o.epoch,
  (select timeline_id from pg_control_checkpoint()) as timeline,
  pg_snapshot_xmax(pg_current_snapshot())::text as xmax,
  c.identity = (select system_identifier from pg_control_system())::text || '/'
    || (select oid from pg_database where datname = current_database())::text as is_own
from pimem.cluster c, pimem.orgs o
where o.id = $1::uuid
