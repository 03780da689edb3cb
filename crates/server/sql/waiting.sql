select count(*), coalesce(extract(epoch from now() - min(since)), 0)::float8 from pimem.index_queue
