select entry, id, ts, op = 'purge' as is_purge
from pimem.events
where org_id = $1::uuid and project_id = $2::uuid and entry = any ($3::bytea[]) and (op = 'purge' or typed)
