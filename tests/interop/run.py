#!/usr/bin/env python3
"""Connects our QUIC to another library's, each as client and as server: run.py go|quiche|self WIRE_PEER FOLDER [ORBIS]

Peers are programs that print JSON lines; docs/design/interop.md says which. FOLDER is for what is built. With ORBIS, the
program, the same connections also go through `orbis proxy`.
"""

import base64
import concurrent.futures
import hashlib
import json
import pathlib
import platform
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import go_program

here = pathlib.Path(__file__).resolve().parent
name, wire_peer, work = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
orbis = pathlib.Path(sys.argv[4]).resolve() if len(sys.argv) > 4 else None
AT_ONCE = 3
LIMIT = 120  # seconds for one pair; only one that fails takes so long
failed = 0

# Whole frames, computed from the layouts and not by this program.
CONNECT = ("4d000000 00000000 00 84ef2baf 14000000 323032362e30322e31372d323535333634623865 00"
           "00112233445566778899aabbccddeeff 00000000 ffffffff 05000000 ffffffff ffffffff 04626f7431 05656e2d5553")
ACCEPT = "01000000 0e000000 00"
READY = "02000000 69000000 0101"


def check(condition, what, *shown):
    global failed
    if not condition:
        failed += 1
        print("FAILED  " + what, *(json.dumps(item) if isinstance(item, dict) else item for item in shown),
              sep="\n        ")


def give_up(text, code=1):
    print(text)
    sys.exit(code)


def go_peer():
    if text := go_program.missing():
        give_up(text)
    return [go_program.build("peer", work)]


def quiche_peer():
    if platform.machine() != "x86_64":
        give_up(f"quiche is not made for {platform.machine()}: nothing to test against", 77)
    if not shutil.which("node") or not (here / "quiche/node_modules/@matrixai/quic-linux-x64").is_dir():
        give_up(f"quiche is missing: run `npm ci` in {here / 'quiche'}; ./test does it")
    return ["node", here / "quiche" / "peer.mjs"]


class Peer:
    """A running peer and what it printed."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines, self.events = queue.Queue(), []
        self.is_read = False  # the end of its output was seen
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            try:
                self.lines.put(json.loads(line))
            except ValueError:
                self.lines.put({"event": "fault", "text": line})
        self.lines.put(None)

    def first(self, limit):
        try:
            event = self.lines.get(timeout=limit)
        except queue.Empty:
            return None
        if event is None:
            self.is_read = True
        else:
            self.events.append(event)
        return event

    def finish(self, limit):
        """Waits for its end, or ends it; whether it ended by itself and well."""
        try:
            self.process.wait(timeout=max(limit, 0.1))
        except subprocess.TimeoutExpired:
            self.process.kill()
        code = self.process.wait()
        self.errors = self.process.stderr.read()
        while not self.is_read and (event := self.lines.get()) is not None:
            self.events.append(event)
        self.is_read = True
        return code == 0

    def one(self, kind):
        return next((event for event in self.events if event["event"] == kind), {})

    def streams(self):
        return {event["id"]: event for event in self.events if event["event"] == "stream" and event["bytes"] > 0}


class Proxied:
    """A server behind the proxy."""

    def __init__(self, command):
        self.command = command


class Pair:
    def __init__(self, what, server, client, folder, server_options=(), client_options=(), server_hears_end=True):
        self.what = what
        begin = time.monotonic()
        command = server.command if isinstance(server, Proxied) else server
        self.server, self.proxy, self.certificate = Peer([*command, "server", folder, *server_options]), None, None
        try:
            listening = self.server.first(LIMIT)
            if not listening:
                self.server.finish(1)
                give_up(f"FAILED  {what}: the server did not start\n{self.server.errors}")
            port = str(listening["port"])
            if isinstance(server, Proxied):
                self.proxy = Peer([orbis, "proxy", "127.0.0.1:0", f"127.0.0.1:{port}", "--json"])
                ready = self.proxy.first(LIMIT) or give_up(f"FAILED  {what}: the proxy did not start")
                port, self.certificate = ready["addresses"][0].rsplit(":", 1)[1], ready["certificate"]
            self.client = Peer([*client, "client", folder, port, *client_options])
            ended = self.client.finish(LIMIT)
        finally:
            # A handshake that failed is no connection for every library: such a server waits for the next.
            ended_too = self.server.finish(LIMIT - (time.monotonic() - begin) if server_hears_end else 0.1)
            if self.proxy:
                self.proxy.process.terminate()
                self.proxy.finish(LIMIT)
        self.check(ended and (ended_too or not server_hears_end), "both end")
        self.check(not self.server.one("fault") and not self.client.one("fault"), "nobody complains")
        print(f"{time.monotonic() - begin:5.2f} s  {what}")

    def check(self, condition, what):
        check(condition, f"{self.what}: {what}", "client:", *self.client.events, self.client.errors, "server:",
              *self.server.events, self.server.errors)

    def closed(self, side, kind, code, reason="", by_peer=True):
        found = getattr(self, side).one("closed")
        self.check((found.get("kind"), found.get("code"), found.get("by_peer")) == (kind, code, by_peer)
                   and (reason is None or found.get("reason") == reason),
                   f"the {side} sees {kind} error {code:#x} {reason or ''}".rstrip())


def fingerprint(path):
    lines = path.read_text().splitlines()
    return digest(base64.b64decode("".join(lines[1:lines.index("-----END CERTIFICATE-----")])))


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


def check_handshake(pair, folder, key="client", alpn="hytale/2"):
    at_server, at_client = pair.server.one("handshake"), pair.client.one("handshake")
    pair.check(at_server.get("alpn") == at_client.get("alpn") == alpn, f"both agree on {alpn}")
    # A proxy shows its own certificate to both.
    pair.check(at_server.get("fingerprint") == (pair.certificate or fingerprint(folder / f"{key}.pem")), "the server knows the client")
    pair.check(at_client.get("fingerprint") == (pair.certificate or fingerprint(folder / "server.pem")), "the client knows the server")
    pair.check(at_server.get("server_name") == "localhost", "the server hears the name it was called by")


def check_streams(pair, folder, client_is_ready, whole=False):
    content = {item: (folder / item).read_bytes() for item in ("connect", "accept", "chunks", "map", "ready")}
    to_server = {0: content["connect"] + (content["ready"] if client_is_ready else b"")}
    to_client = {0: content["accept"], 3: content["chunks"], 7: content["map"]}
    for side, expected in (("server", to_server), ("client", to_client)):
        found = getattr(pair, side).streams()
        pair.check({id: (item["bytes"], item["sha256"]) for id, item in found.items()}
                   == {id: (len(item), digest(item)) for id, item in expected.items()},
                   f"each stream arrives whole at the {side}, and no other")
    if "pieces" in pair.server.streams().get(0, {}) and not whole and not pair.proxy:
        pair.check(pair.server.streams()[0]["pieces"] > 1, "frames arrive in pieces")
    packets = {id: item["packets"] for id, item in pair.client.streams().items()}
    pair.check(packets == {0: {"14": 1}, 3: {"131": 40}, 7: {"241": 1, "242": 1}}, "the client finds the packets")


def check_join(folder, what, server, client, server_options=(), client_options=(), key="client", alpn="hytale/2"):
    """A whole connection that the client ends."""
    pair = Pair(what, server, client, folder, server_options,
                [*client_options, f"--key={key}", "--close=application:0:"])
    check_handshake(pair, folder, key, alpn)
    check_streams(pair, folder, client_is_ready=False, whole="--early" in client_options)
    pair.closed("server", "application", 0)
    pair.closed("client", "application", 0, by_peer=False)
    return pair


def check_close(folder, what, server, client, kind, code, reason):
    """A whole connection that the server ends."""
    pair = Pair(what, server, client, folder, [f"--close={kind}:{code}:{reason}"])
    check_handshake(pair, folder)
    check_streams(pair, folder, client_is_ready=True)
    pair.closed("client", kind, code, reason)
    pair.closed("server", kind, code, reason, by_peer=False)


def check_refused(folder, what, server, client, code, *client_options):
    pair = Pair(what, server, client, folder, client_options=client_options, server_hears_end=server == [wire_peer])
    pair.closed("client", "transport", code, reason=None)
    pair.check(not pair.client.streams(), "nothing is said to it")
    if server == [wire_peer]:
        pair.closed("server", "transport", code, by_peer=False)


def check_parameters(pair):
    """What a server of the game announces (docs/formats/network.md), as quiche read it."""
    found = pair.client.one("parameters")
    if not found:
        return
    expected = {"peerMaxIdleTimeout": 60_000, "peerInitialMaxData": 524_288,
                "peerInitialMaxStreamDataBidiLocal": 131_072, "peerInitialMaxStreamDataBidiRemote": 131_072,
                "peerInitialMaxStreamDataUni": 0, "peerInitialMaxStreamsBidi": 1, "peerInitialMaxStreamsUni": 0,
                "peerAckDelayExponent": 3, "peerMaxAckDelay": 25, "peerDisableActiveMigration": True}
    pair.check({item: found.get(item) for item in expected} == expected, "our server announces what the game's does")
    pair.check(found.get("peerMaxDatagramFrameSize") is None, "our server takes no DATAGRAM frames")


def run(folder, theirs):
    ours = [wire_peer]
    subprocess.run([wire_peer, "setup", folder], check=True)
    for item, expected in (("connect", CONNECT), ("accept", ACCEPT), ("ready", READY)):
        check((folder / item).read_bytes() == bytes.fromhex(expected), f"the frame `{item}` has the bytes of the layout")
    check((folder / "chunks").stat().st_size > 500_000, "there are enough chunks to fill every window")

    def first_connection(who, server, client):
        pair = check_join(folder, f"{who}: a connection", server, client)
        if server is ours:
            check_parameters(pair)

    def stream_limits(who, server, client):
        pair = check_join(folder, f"{who}: no more streams", server, client, client_options=["--more-streams"])
        limits = pair.client.one("limits")
        pair.check(limits.get("bidi") is False and limits.get("uni") is False, "the client can open stream 0 only")

    def begin_proxied(begin, who, server, client):
        """The proxy forwards what both say, and how they end it."""
        begin(check_join, folder, f"{who}: a connection", server, client)
        begin(check_join, folder, f"{who}: the client has an ed25519 key", server, client, key="ed25519")
        begin(check_join, folder, f"{who}: the client speaks hytale/1 only", server, client,
              client_options=["--alpn=hytale/1"], alpn="hytale/1")
        begin(check_join, folder, f"{who}: windows of 64 KiB", server, client, client_options=["--window=65536"])
        begin(check_close, folder, f"{who}: the server ends it", server, client, "application", 5, "2026.02.17-255364b8e")
        if server.command is ours or name != "go":
            begin(check_close, folder, f"{who}: the server sees a violation", server, client, "transport", 0x0A, "")
        begin(check_refused, folder, f"{who}: no protocol in common", server, client, 0x178, "--alpn=h3")
        begin(check_refused, folder, f"{who}: no certificate", server, client, 0x174, "--key=none")

    # Pairs wait more than they work, so some of them run at the same time.
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        begun = []

        def begin(act, *arguments, **options):
            begun.append(pool.submit(act, *arguments, **options))

        for who, server, client in (("our server", ours, theirs), ("our client", theirs, ours)):
            begin(first_connection, who, server, client)
            if server is ours:
                # quiche as a server takes the client's order, so only ours is asked.
                begin(check_join, folder, f"{who}: the client lists hytale/1 first", server, client,
                      client_options=["--alpn=hytale/1,hytale/2"])
            for key in ("rsa", "ed25519"):
                begin(check_join, folder, f"{who}: the client has an {key} key", server, client, key=key)
            begin(check_join, folder, f"{who}: the client speaks hytale/1 only", server, client,
                  client_options=["--alpn=hytale/1"], alpn="hytale/1")
            begin(check_join, folder, f"{who}: windows of 64 KiB", server, client, client_options=["--window=65536"])
            begin(stream_limits, who, server, client)
            begin(check_close, folder, f"{who}: the server ends it", server, client, "application", 5,
                  "2026.02.17-255364b8e")
            # quic-go has no call for it.
            if server is ours or name != "go":
                begin(check_close, folder, f"{who}: the server sees a violation", server, client, "transport", 0x0A, "")
            begin(check_refused, folder, f"{who}: no protocol in common", server, client, 0x178, "--alpn=h3")
            # TLS says certificate_required; Go says bad_certificate.
            no_certificate = 0x12A if server is theirs and name == "go" else 0x174
            begin(check_refused, folder, f"{who}: no certificate", server, client, no_certificate, "--key=none")
        begin(check_join, folder, "our client: speaks before the server confirms", theirs, ours, client_options=["--early"])
        if name != "self":
            begin(check_join, folder, "our client: the server retries", theirs, ours, server_options=["--retry"])
        for who, server, client in (("our server", ours, theirs), ("their server", theirs, theirs), ("our client", theirs, ours)):
            if orbis:
                begin_proxied(begin, f"through the proxy, {who}", Proxied(server), client)
        for pair in begun:
            pair.result()


peers = {"go": go_peer, "quiche": quiche_peer, "self": lambda: [wire_peer]}
if name not in peers:
    give_up(f"there is no peer {name}: " + ", ".join(peers), 2)
work.mkdir(parents=True, exist_ok=True)
peer = peers[name]()
with tempfile.TemporaryDirectory(prefix="orbis-interop-") as temporary:
    run(pathlib.Path(temporary), peer)
print(f"{failed} failed" if failed else f"everything agrees with {name}")
sys.exit(1 if failed else 0)
