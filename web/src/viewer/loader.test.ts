import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keyOf, type Loaded, Loader } from './loader';

/// What the server answers for a chunk; a chunk that is not there where nothing is said.
const answers = new Map<string, () => Response>();
let asked: string[];
let arrived: Map<string, Loaded['kind']>;
let loader: Loader;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  asked = [];
  arrived = new Map();
  answers.clear();
  vi.stubGlobal('fetch', (address: string): Promise<Response> => {
    asked.push(address);
    return Promise.resolve(answers.get(address)?.() ?? new Response(null, { status: 204 }));
  });
  // A world of five times five chunks.
  loader = new Loader({
    address: keyOf,
    exists: (cx, cz) => Math.max(Math.abs(cx), Math.abs(cz)) <= 2,
    arrived: (cx, cz, { kind }) => arrived.set(keyOf(cx, cz), kind),
    left: (cx, cz) => arrived.delete(keyOf(cx, cz)),
  });
});
afterEach(() => {
  loader.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('chunks that fail do not keep others waiting', async () => {
  const failing = ['0.0', '1.0', '-1.0', '0.1', '0.-1']; // the nearest
  for (const key of failing) answers.set(key, () => new Response(null, { status: 503 }));
  loader.look(0, 0);
  await vi.advanceTimersByTimeAsync(0);
  expect(arrived.size).toBe(20);
  expect(asked.filter((key) => failing.includes(key)).sort(), 'each only once').toEqual([...failing].sort());
  expect(loader.counts).toEqual({ there: 20, waiting: 5 });
  answers.clear();
  await vi.advanceTimersByTimeAsync(1000);
  expect(arrived.size).toBe(25);
  expect(loader.counts).toEqual({ there: 25, waiting: 0 });
});

test('what goes on failing is asked for less and less often', async () => {
  answers.set('0.0', () => new Response(null, { status: 500 }));
  loader.look(0, 0);
  const times: number[] = [];
  for (let second = 0; second <= 100; ++second) {
    await vi.advanceTimersByTimeAsync(second === 0 ? 0 : 1000);
    const count = asked.filter((key) => key === '0.0').length;
    if (count > times.length) times.push(second);
  }
  expect(times).toEqual([0, 1, 3, 7, 15, 31, 63, 95]);
});

test('a mesh that is none is not asked for again', async () => {
  answers.set('0.0', () => new Response('this is not a mesh, whatever it says', { headers: { ETag: '"1"' } }));
  loader.look(0, 0);
  await vi.waitFor(() => expect(arrived.size).toBe(25));
  expect(arrived.get('0.0')).toBe('unreadable');
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked.filter((key) => key === '0.0')).toHaveLength(1);
  loader.changed([[0, 0]]);
  await vi.advanceTimersByTimeAsync(0);
  expect(asked.filter((key) => key === '0.0')).toHaveLength(2);
});
