import { describe, expect, test } from 'vitest';
import type { Row, Rows } from './api';
import { k_page, k_pages, RowStore } from './rows';

const row = (rank: number): Row => [rank, rank + 1, rank * 1000, 0, 0, 1, 'Ping', 37, 0, ''];

/// A server with that many rows, and what was asked of it.
function made(end: number) {
  const asked: number[] = [];
  const signals: AbortSignal[] = [];
  const server = { end, fails: false };
  const read = async (from: number, count: number, signal: AbortSignal): Promise<Rows> => {
    asked.push(from);
    signals.push(signal);
    if (server.fails) throw new Error('no');
    const to = Math.min(server.end, from + count);
    return { first: 0, end: server.end, scanned: server.end, complete: false, rows: Array.from({ length: Math.max(0, to - from) }, (_, i) => row(from + i)) };
  };
  const problems: unknown[] = [];
  let came = 0;
  const store = new RowStore(read, () => void ++came, (problem) => problems.push(problem));
  return { asked, signals, server, store, problems, came: () => came };
}
const settled = () => new Promise((done) => setTimeout(done, 0));

describe('rows in pages', () => {
  test('only the pages of what is wanted are read, and each once', async () => {
    const { store, asked, came } = made(100_000);
    store.want(k_page * 3 + 5, k_page * 4 + 5, 100_000);
    await settled();
    store.want(k_page * 3 + 5, k_page * 4 + 5, 100_000);
    await settled();
    expect(asked).toEqual([k_page * 3, k_page * 4]);
    expect(came()).toBe(2);
    expect(store.get(k_page * 3)?.[1]).toBe(k_page * 3 + 1);
    expect(store.get(0)).toBeUndefined();
  });

  test('a page that was not full is read again when more has come', async () => {
    const { store, asked, server } = made(50);
    store.want(0, 40, 50);
    await settled();
    store.want(0, 40, 50);
    expect(asked).toEqual([0]);
    server.end = 70;
    store.want(40, 80, 70);
    expect(store.get(45)).toBeDefined(); // what was there stays while it is read
    await settled();
    expect(asked).toEqual([0, 0]);
    expect(store.get(69)).toBeDefined();
  });

  test('what was not asked for the longest is forgotten', async () => {
    const { store, signals } = made(10_000_000);
    for (let page = 0; page < 3 * k_pages; ++page) store.want(page * k_page, page * k_page + 1, 10_000_000);
    expect(signals[0]?.aborted).toBe(true);
    await settled();
    expect(store.size).toBe(k_pages);
    expect(store.get(0)).toBeUndefined();
    expect(store.get((3 * k_pages - 1) * k_page)).toBeDefined();
  });

  test('rows that are not there are not asked for again and again', async () => {
    const { store, asked, server } = made(50);
    store.want(0, 80, 80); // the list was longer a moment ago
    await settled();
    store.want(0, 80, 80);
    await settled();
    expect(asked).toEqual([0]);
    server.end = 90;
    store.want(0, 90, 90);
    await settled();
    expect(asked).toEqual([0, 0]);
    expect(store.get(89)).toBeDefined();
  });

  test('a failure is told and tried again', async () => {
    const { store, server, problems } = made(10);
    server.fails = true;
    store.want(0, 10, 10);
    await settled();
    expect(problems).toHaveLength(1);
    server.fails = false;
    store.want(0, 10, 10);
    await settled();
    expect(store.get(9)).toBeDefined();
  });
});
