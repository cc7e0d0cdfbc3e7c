#!/usr/bin/env python3
"""`orbis ping` against a server that answers: ping.py ORBIS SMALL_SERVER SMALL_CLIENT"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

orbis, small_server, small_client = sys.argv[1:]


class Server:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([small_server, *arguments], stdout=subprocess.PIPE, text=True)
        self.address = re.fullmatch(r"listening on (.*)\n", self.process.stdout.readline())[1]
        while not (line := self.process.stdout.readline()).startswith("certificate "):
            pass
        self.certificate = line.split()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(10) == 0, "the server did not end well"


def free_port():
    import socket
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ping(*arguments):
    return subprocess.run([orbis, "ping", *arguments], capture_output=True, text=True, timeout=60)


with Server(f"127.0.0.1:{free_port()}") as server:
    run = ping(server.address)
    assert run.returncode == 0, (run.returncode, run.stdout, run.stderr)
    assert server.certificate in run.stdout, run.stdout
    run = ping("--json", server.address)
    report = json.loads(run.stdout)
    assert run.returncode == 0 and server.certificate in run.stdout, run.stdout
    assert all(step["ok"] for step in report["steps"]), run.stdout
    visit = subprocess.run([small_client, server.address, "2"], capture_output=True, text=True, timeout=60)
    assert visit.returncode == 0 and "in the world" in visit.stdout and "Ping" in visit.stdout, visit

with Server(f"127.0.0.1:{free_port()}", "secret") as server:
    run = ping(server.address)
    assert run.returncode == 19, (run.returncode, run.stdout, run.stderr)
    with tempfile.TemporaryDirectory() as folder:
        word = pathlib.Path(folder) / "password"
        word.write_text("secret\n")
        os.chmod(word, 0o600)
        run = ping("--password-file", str(word), server.address)
        assert run.returncode == 0, (run.returncode, run.stdout, run.stderr)
        word.write_text("wrong\n")
        run = ping("--password-file", str(word), server.address)
        assert run.returncode == 19, (run.returncode, run.stdout, run.stderr)

print("ping: every answer was as it should be")
