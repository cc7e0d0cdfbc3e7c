// One end of a connection, spoken by quiche: the other end is tests/interop/wire_peer.cpp, which also makes the
// files of FOLDER. docs/design/interop.md has the options and what is printed.
//
//     node peer.mjs server FOLDER [OPTION…]
//     node peer.mjs client FOLDER PORT [OPTION…]
//
// Of the npm package @matrixai/quic only the compiled library is used, not the streams and events around it, which
// hide codes and limits: datagrams in, datagrams out.

import { createHash, randomBytes } from 'node:crypto';
import dgram from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const quiche = createRequire(import.meta.url)('@matrixai/quic-linux-x64');

const host = '127.0.0.1';
const [role, folder, ...rest] = process.argv.slice(2);
const isServer = role === 'server';
const serverPort = isServer ? 0 : Number(rest.shift());
const options = {};
for (const argument of rest) {
    const [, name, value] = /^--([a-z-]+)=?(.*)$/.exec(argument) ?? [];
    if (!['alpn', 'key', 'window', 'close', 'retry', 'more-streams'].includes(name))
        throw new Error(`there is no option ${argument}`);
    options[name] = value;
}

const file = (name) => readFileSync(path.join(folder, name));
const frames = Object.fromEntries(['connect', 'accept', 'chunks', 'map', 'ready'].map((name) => [name, file(name)]));
const digest = (bytes) => createHash('sha256').update(bytes).digest('base64url');
const report = (event) => console.log(JSON.stringify(event));

const signatures = 'ecdsa_secp256r1_sha256:ed25519:rsa_pss_rsae_sha256';

function makeConfig() {
    const key = options.key ?? role;
    const identity = key === 'none' ? [] : [[file(`${key}.key`)], [file(`${key}.pem`)]];
    // A certificate of the peer is required, and any will do.
    const config = quiche.Config.withBoringSslCtx(true, true, undefined, identity[0], identity[1], signatures);
    config.setApplicationProtos(options.alpn?.split(',') ?? (isServer ? ['hytale/2', 'hytale/1'] : ['hytale/2']));
    const window = Number(options.window ?? 1 << 20);
    config.setInitialMaxStreamDataBidiLocal(window);
    config.setInitialMaxStreamDataBidiRemote(window);
    config.setInitialMaxStreamDataUni(window);
    config.setMaxStreamWindow(window);
    config.setInitialMaxData(2 * window);
    config.setMaxConnectionWindow(2 * window);
    config.setInitialMaxStreamsBidi(isServer ? 1 : 0);
    config.setInitialMaxStreamsUni(isServer ? 0 : 2);
    config.setMaxIdleTimeout(30_000);
    return config;
}

let connection;
let peer;
const socket = dgram.createSocket('udp4');
const datagram = Buffer.alloc(1500);
const input = Buffer.alloc(65_536);
const waiting = new Map(); // bytes that flow control holds back, by stream
const received = new Map(); // bytes, by stream
let isShaken = false;
let isAnswered = false;
let isComplete = false;
let isOver = false;
let timer;

function flush() {
    for (;;) {
        const made = connection.send(datagram);
        if (made === null) break;
        socket.send(Buffer.from(datagram.subarray(0, made[0])), made[1].to.port, made[1].to.host);
    }
    clearTimeout(timer);
    const wait = connection.timeout();
    if (wait !== null && !isOver)
        timer = setTimeout(() => {
            connection.onTimeout();
            turn();
        }, wait + 1);
}

function write(stream, bytes) {
    const queued = waiting.get(stream) ?? [];
    waiting.set(stream, queued);
    queued.push(bytes);
    sendWaiting();
}

function sendWaiting() {
    for (const [stream, queued] of waiting)
        while (queued.length > 0) {
            const sent = connection.streamSend(stream, queued[0], false) ?? 0;
            if (sent < queued[0].length) {
                queued[0] = queued[0].subarray(sent);
                break;
            }
            queued.shift();
        }
}

// Pieces of 1, 2, 3, 5, 8 … bytes, each on its way before the next is written.
async function writeInPieces(stream, bytes) {
    for (let [size, next] = [1, 2]; bytes.length > 0 && !isOver; [size, next] = [next, size + next]) {
        write(stream, bytes.subarray(0, size));
        flush();
        bytes = bytes.subarray(size);
        await new Promise((resolve) => setTimeout(resolve, 2));
    }
}

function canOpen(stream) {
    try {
        connection.streamSend(stream, Buffer.from([0]), false);
        return true;
    } catch (error) {
        if (error.message !== 'StreamLimit') throw error;
        return false;
    }
}

function close() {
    const [kind, code, reason] = options.close.split(':');
    connection.close(kind === 'application', Number(code), Buffer.from(reason));
}

const size = (stream) => received.get(stream)?.length ?? 0;

function act() {
    if (isServer) {
        if (!isAnswered && size(0) >= frames.connect.length) {
            isAnswered = true;
            write(0, frames.accept);
            write(3, frames.chunks);
            write(7, frames.map);
        }
        if (options.close && size(0) >= frames.connect.length + frames.ready.length) close();
    } else if (
        !isComplete &&
        size(0) >= frames.accept.length &&
        size(3) >= frames.chunks.length &&
        size(7) >= frames.map.length
    ) {
        isComplete = true;
        if (options.close) close();
        else writeInPieces(0, frames.ready);
    }
}

function shake() {
    isShaken = true;
    report({
        event: 'handshake',
        alpn: Buffer.from(connection.applicationProto()).toString(),
        fingerprint: digest(connection.peerCertChain()?.[0] ?? Buffer.alloc(0)),
        server_name: connection.serverName() ?? '',
    });
    // What the other side announced, as quiche read it.
    const stats = Object.entries(connection.stats()).filter(([name]) => name.startsWith('peer'));
    report({ event: 'parameters', ...Object.fromEntries(stats) });
    if (isServer) return;
    writeInPieces(0, frames.connect);
    if ('more-streams' in options) report({ event: 'limits', bidi: canOpen(4), uni: canOpen(2) });
}

function packets(bytes) {
    const found = {};
    while (bytes.length >= 8 && bytes.length >= 8 + bytes.readInt32LE(0)) {
        const id = bytes.readInt32LE(4);
        found[id] = (found[id] ?? 0) + 1;
        bytes = bytes.subarray(8 + bytes.readInt32LE(0));
    }
    return found;
}

function finish(error, byPeer) {
    isOver = true;
    for (const [id, bytes] of received)
        report({ event: 'stream', id, bytes: bytes.length, sha256: digest(bytes), packets: packets(bytes) });
    report({
        event: 'closed',
        kind: error === null ? 'idle' : error.isApp ? 'application' : 'transport',
        code: error?.errorCode ?? 0,
        reason: Buffer.from(error?.reason ?? []).toString(),
        by_peer: byPeer,
    });
    // The datagrams that say it are on their way.
    setTimeout(() => process.exit(0), 50);
}

// Everything that may have become possible after a datagram or a moment.
function turn() {
    if (isOver) return;
    if (!isShaken && connection.isEstablished()) shake();
    if (isShaken) {
        for (const stream of connection.readable())
            for (;;) {
                const found = connection.streamRecv(stream, input);
                if (found === null) break;
                const before = received.get(stream) ?? Buffer.alloc(0);
                received.set(stream, Buffer.concat([before, input.subarray(0, found[0])]));
                if (found[1]) break;
            }
        act();
        if (!connection.isDraining()) sendWaiting();
    }
    flush();
    const local = connection.localError();
    const remote = connection.peerError();
    if (remote !== null) finish(remote, true);
    else if (local !== null) finish(local, false);
    else if (connection.isClosed()) finish(null, false);
}

const here = () => ({ host, port: socket.address().port });

// A server that retries wants its own token back before it keeps anything.
function accept(data, from) {
    const header = quiche.Header.fromSlice(data, quiche.MAX_CONN_ID_LEN);
    if (header.ty !== quiche.Type.Initial) return false;
    const token = Buffer.from(header.token ?? []);
    if ('retry' in options && token.length === 0) {
        const id = randomBytes(quiche.MAX_CONN_ID_LEN);
        const length = quiche.retry(header.scid, header.dcid, id, Buffer.from(header.dcid), header.version, datagram);
        socket.send(Buffer.from(datagram.subarray(0, length)), from.port, from.address);
        return false;
    }
    const [own, original] = token.length > 0 ? [header.dcid, token] : [randomBytes(quiche.MAX_CONN_ID_LEN), undefined];
    peer = { host: from.address, port: from.port };
    connection = quiche.Connection.accept(own, original, here(), peer, makeConfig());
    return true;
}

socket.on('message', (data, from) => {
    if (isOver || (!connection && !accept(data, from))) return;
    try {
        connection.recv(data, { from: { host: from.address, port: from.port }, to: here() });
    } catch (error) {
        if (connection.localError() === null) throw error;
    }
    turn();
});

socket.bind(0, host, () => {
    if (isServer) return report({ event: 'listening', port: here().port });
    peer = { host, port: serverPort };
    connection = quiche.Connection.connect('localhost', randomBytes(quiche.MAX_CONN_ID_LEN), here(), peer, makeConfig());
    flush();
});
