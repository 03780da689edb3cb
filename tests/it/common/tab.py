"""Types into a shell on a pseudo-terminal: python3 tab.py REGEX KEYS PROGRAM ARG...

Waits for READY, types the keys, and prints what the terminal then gets until the pattern is there.
Exit code 1 says that it did not come. Standard library only.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

MOST = 60
# Escape sequences, and characters that a shell prints again.
NOISE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\x1b\].*?\x07|.\x08")

pattern, keys, *command = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))


def shown(seen):
    return NOISE.sub("", seen.decode(errors="replace"))


def until(wanted):
    """Reads until the pattern has come, and answers what a shell asks the terminal."""
    seen, end = b"", time.monotonic() + MOST
    while not re.search(wanted, shown(seen)) and time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            more = os.read(terminal, 65536)
        except OSError:
            break
        seen += more
        for question, answer in ((b"\x1b[c", b"\x1b[?1;2c"), (b"\x1b[6n", b"\x1b[1;1R")):
            if question in more:
                os.write(terminal, answer)
    return shown(seen)


until("READY")
os.write(terminal, keys.encode().decode("unicode_escape").encode())
seen = until(pattern)
os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)
print(seen)
sys.exit(not re.search(pattern, seen))
