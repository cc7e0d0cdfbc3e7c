#!/usr/bin/env python3
"""Runs a program until it has printed something, and then sends it a signal: signal_when.py INT TEXT PROGRAM [ARGUMENT...]

What it prints goes on to stdout. For the transcripts, which must not depend on how long a server takes to begin.
"""

import signal
import subprocess
import sys

name, text, *command = sys.argv[1:]
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
    waits = True
    for line in program.stdout:
        print(line, end="", flush=True)
        if waits and text in line:
            program.send_signal(getattr(signal, f"SIG{name}"))
            waits = False
sys.exit(program.returncode)
