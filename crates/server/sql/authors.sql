select fnv, author from pimem.entries
where org_id = $1::uuid and project_id = $2::uuid and fnv = any ($3::bytea[])
