import { readFileSync, statSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import type { Packet, Row, Rows, State } from '../src/inspector/api.ts';

/// Answers as `orbis capture serve` does, with made packets: every tenth is a Ping, the others are chat.
export interface InspectorMock {
  address: string;
  /// Targets that were asked for.
  asked: string[];
  state: State;
  /// More packets come, and older ones are forgotten.
  grow(end: number, first?: number): void;
  stop(): Promise<void>;
}

const k_types: Record<string, string> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
const k_hostile = '<img src=x onerror="window.broken = 1">';

export const isPing = (number: number): boolean => number % 10 === 0;
export const textOf = (number: number): string => (number === 7 ? k_hostile : `number ${number}`);

function rowOf(rank: number, number: number): Row {
  return isPing(number)
    ? [rank, number, number * 1000, 0, 0, 1, 'Ping', 37, 0, '{"id":1}']
    : [rank, number, number * 1000, 1, 0, 1, 'ChatMessage', 10 + textOf(number).length, 0, JSON.stringify({ message: textOf(number) })];
}

function packetOf(number: number): Packet {
  const text = Buffer.from(textOf(number));
  const payload = Buffer.concat([Buffer.from([1, text.length]), text]);
  return {
    number, time: number * 1000, to: 1, channel: 0, stream: 0, player: 1, build: '2026.02.17', packet: 'ChatMessage', id: 210, size: payload.length + 8,
    payload: { size: payload.length, compressed: false, hex: payload.toString('hex') },
    spans: [
      [-1, 0, payload.length, 'value', 'ChatMessage', '', null, -1],
      [0, 0, 1, 'presence', '', '', null, -1],
      [0, 1, text.length + 1, 'value', 'message', 'text', JSON.stringify(textOf(number)), -1],
      [2, 1, 1, 'count', '', '', null, -1],
    ],
    cut: false,
  };
}

export async function inspectorServer(folder: string, end = 100_001): Promise<InspectorMock> {
  const listeners = new Set<ServerResponse>();
  const asked: string[] = [];
  const state: State = {
    source: 'proxy', title: 'a server', program: 'orbis test', start: '1770000000123456789', first: 1, end, forgotten: 0, dropped: 0, complete: false,
    personal: false, bytes: end * 20, players: [{ player: 1, name: 'Ada', build: '2026.02.17', frames: end - 1, bytes: end * 20 }], more_players: 0,
  };
  const json = (response: ServerResponse, value: unknown, status = 200): void => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(JSON.stringify(value));
  };

  /// Only `Ping` is a filter here; anything else is a mistake.
  const numberAt = (filter: string, rank: number): number => (filter === 'Ping' ? (rank + 1) * 10 : rank + 1);
  const endOf = (filter: string): number => (filter === 'Ping' ? Math.floor((state.end - 1) / 10) : state.end - 1);
  const firstOf = (filter: string): number => (filter === 'Ping' ? Math.ceil(state.first / 10) - 1 : state.first - 1);

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const parts = url.pathname.split('/').slice(1);
    const filter = url.searchParams.get('filter') ?? '';
    if (parts[0] === 'api') {
      asked.push(`${url.pathname}${url.search}`);
      if (filter !== '' && filter !== 'Ping') return json(response, { error: 'usage', message: `filter, column 1: unknown packet ${filter}`, advice: '' }, 400);
      const from = Number(url.searchParams.get('from') ?? 0);
      if (parts[1] === 'events') {
        response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
        response.write(`: hello\n\nevent: state\ndata: ${JSON.stringify(state)}\n\n`);
        listeners.add(response);
        response.on('close', () => listeners.delete(response));
      } else if (parts[1] === 'state') json(response, state);
      else if (parts[1] === 'rows') {
        const begin = Math.max(from, firstOf(filter));
        const rows: Row[] = [];
        for (let rank = begin; rank < Math.min(endOf(filter), from + Number(url.searchParams.get('count'))); ++rank) rows.push(rowOf(rank, numberAt(filter, rank)));
        json(response, { first: firstOf(filter), end: endOf(filter), scanned: state.end - 1, complete: false, rows } satisfies Rows);
      } else if (parts[1] === 'find') {
        const text = url.searchParams.get('q') ?? '';
        let found: number | null = null;
        for (let rank = from; rank < endOf(filter) && found === null; ++rank) if (textOf(numberAt(filter, rank)).includes(text)) found = rank;
        json(response, { found, at: endOf(filter), first: firstOf(filter), end: endOf(filter) });
      } else if (parts[1] === 'rank') {
        const number = Number(url.searchParams.get('number'));
        json(response, { rank: filter === 'Ping' ? Math.ceil(number / 10) - 1 : number - 1, scanned: state.end - 1 });
      } else if (parts[1] === 'packet') json(response, packetOf(Number(parts[2])));
      else if (parts[1] === 'rates') json(response, { start: 0, width: 1_000_000, count: 3, series: [{ packet: 'ChatMessage', to: 1, channel: 0, frames: [1, 2, 3], bytes: [100, 200, 300] }] });
      else if (parts[1] === 'latency') json(response, { players: [{ player: 1, samples: [[0, 'raw', 20_000], [1_000_000, 'raw', 30_000]] }] });
      else if (parts[1] === 'export') response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end('packets');
      else json(response, { error: 'not_found', message: 'no such address', advice: '' }, 404);
      return;
    }
    const path = normalize(join(folder, parts.join('/') || 'inspector.html'));
    try {
      if (!path.startsWith(folder) || !statSync(path).isFile()) throw new Error('no');
      response.writeHead(200, { 'Content-Type': k_types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream' }).end(readFileSync(path));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    state,
    grow(to, first = state.first) {
      Object.assign(state, { end: to, first, forgotten: first - 1 });
      for (const listener of listeners) listener.write(`event: state\ndata: ${JSON.stringify(state)}\n\n`);
    },
    stop: () =>
      new Promise((resolve) => {
        for (const listener of listeners) listener.end();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
