import { expect, test } from 'vitest';
import { ApiError } from '../data/api';
import { MissingFile } from '../data/scripts';
import type { Inspect, WorldIndex, WorldStatus } from '../data/types';
import { brokenWorld, emptyWorld } from './trouble';

const empty = { name: 'w', bounds: null } as WorldIndex;
const drawn = { name: 'w', bounds: { min: [0, 0], max: [32, 32] } } as WorldIndex;
const problem = { file: '0.0.region.bin', message: 'not a region file', advice: 'restore a backup' };
const status = (state: WorldStatus['state'], problems = [problem]): WorldStatus => ({ name: 'w', folder: 'w', state, problems, left_out: 0 });
const inspect = { layers: [], x: [], z: [], values: {}, problems: [problem] } as Inspect;

test('a world without chunks is empty only when everything could be read', () => {
  expect(emptyWorld(true, empty, status('ready', []), null)?.title).toBe('This world has no chunks yet');
  expect(emptyWorld(false, empty, null, null)?.title).toBe('This world has no chunks yet');
  const said = { title: 'The chunks of this world cannot be read', text: '0.0.region.bin: Not a region file.', advice: 'Restore a backup.' };
  expect(emptyWorld(true, empty, status('ready'), null)).toEqual(said);
  expect(emptyWorld(true, null, status('failed'), null)).toEqual(said);
  expect(emptyWorld(false, empty, null, inspect)).toEqual(said);
});

test('a world that shows something is no trouble, whatever cannot be read', () => {
  expect(emptyWorld(true, drawn, status('ready'), inspect)).toBeNull();
  expect(emptyWorld(false, drawn, null, inspect)).toBeNull();
});

test('further files are counted', () => {
  const text = emptyWorld(true, empty, { ...status('ready', [problem, problem]), left_out: 3 }, null)?.text;
  expect(text).toBe('0.0.region.bin: Not a region file. 4 other files cannot be read either.');
});

test('a world without an index is told in the words of the server', () => {
  const refused = brokenWorld(true, 'w', new ApiError(503, 'Permission denied.', 'Run it as the owner.'));
  expect(refused).toEqual({ title: 'This world cannot be shown', text: 'Permission denied.', advice: 'Run it as the owner.' });
  expect(brokenWorld(false, 'w', new MissingFile('worlds/w/world.js')).text).toContain('worlds/w/world.js is missing or damaged.');
});
