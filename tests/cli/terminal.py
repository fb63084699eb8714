"""Runs a program on a terminal of its own: COLUMNS ROWS PROGRAM ARGS... Standard input is what is typed, standard output what is shown."""

import fcntl
import os
import pty
import select
import struct
import sys
import termios

columns, rows, *command = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))
    os.execvp(command[0], command)

watched = [terminal, 0]
while terminal in watched:
    for ready in select.select(watched, [], [])[0]:
        try:
            data = os.read(ready, 65536)
        except OSError:
            data = b""
        if not data:
            watched.remove(ready)
        elif ready == terminal:
            os.write(1, data)
        else:
            os.write(terminal, data)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
