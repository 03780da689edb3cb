select entry, id, ts
from pimem.events
where org_id = $1::uuid and project_id = $2::uuid and entry = any ($3::bytea[]) and op = 'purge'
