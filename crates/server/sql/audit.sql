insert into pimem.audit (org_id, actor, key_id, request, action, target)
values ($1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::text, $6::text)
