#!/usr/bin/env python3
"""`orbis ping` against a server that answers: ping.py ORBIS CHAT_SERVER VISIT_SERVER"""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

orbis, chat_server, visit_server = sys.argv[1:]
PATIENCE = 120  # seconds


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    def __init__(self, *password):
        for _ in range(20):  # another program may take the port before the server does
            self.process = subprocess.Popen([chat_server, f"127.0.0.1:{free_port()}", *password], stdout=subprocess.PIPE,
                                            text=True)
            if listening := re.fullmatch(r"listening on (.*)\n", self.process.stdout.readline()):
                break
        self.address = listening[1]
        while not (line := self.process.stdout.readline()).startswith("certificate "):
            pass
        self.certificate = line.split()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(PATIENCE) == 0, "the server did not end well"


def ping(*arguments):
    return subprocess.run([orbis, "ping", "--timeout", "60", "--count", "2", *arguments], capture_output=True, text=True)


with Server() as server:
    run = ping(server.address)
    assert run.returncode == 0, (run.returncode, run.stdout, run.stderr)
    assert server.certificate in run.stdout, run.stdout
    run = ping("--json", server.address)
    report = json.loads(run.stdout)
    assert run.returncode == 0 and server.certificate in run.stdout, run.stdout
    assert all(step["ok"] for step in report["steps"]), run.stdout
    assert report["refusal"] is None and report["address"] == server.address, run.stdout
    trip = report["round_trip"]
    assert trip["shortest_ms"] <= trip["median_ms"] <= trip["longest_ms"] and trip["measurements"] == 2, run.stdout
    report = json.loads(ping("--json", "--uuid", "00000000-0000-0000-0000-000000000000", server.address).stdout)
    assert report["refusal"] == "Missing UUID" and report["stopped_at"] == "account", report
    assert report["password"] == "unknown", report
    for stay in "1", "10", "100":  # seconds; the first ping comes at once, but not on every machine
        visit = subprocess.run([visit_server, server.address, stay], capture_output=True, text=True)
        if "Ping" in visit.stdout:
            break
    assert visit.returncode == 0 and "in the world" in visit.stdout and "Ping" in visit.stdout, visit

with Server("secret") as server:
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
        report = json.loads(ping("--json", "--password-file", str(word), server.address).stdout)
        assert report["password"] == "refused" and report["stopped_at"] == "password", report

print("ping: every answer was as it should be")
