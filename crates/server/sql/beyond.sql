select exists (
    select from pimem.entries
    where org_id = $1::uuid and project_id = $2::uuid and (xid, seq) > ($3::text::xid8, $4::int8)
  ) or exists (
    select from pimem.events
    where org_id = $1::uuid and project_id = $2::uuid and (xid, seq) > ($3::text::xid8, $4::int8)
  )
