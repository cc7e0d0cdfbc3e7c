import { expect, test } from 'vitest';
import { coordinatesIn } from './coordinates';

const at = (text: string): (number | null)[] | null => {
  const place = coordinatesIn(text);
  return place && [place.x, place.y, place.z];
};

test('numbers are a place', () => {
  expect(at('120 64 -33')).toEqual([120, 64, -33]);
  expect(at('120,-33')).toEqual([120, null, -33]);
  expect(at(' (120, 64, -33) ')).toEqual([120, 64, -33]);
  expect(at('12.9 64.2 -33.1')).toEqual([12, 64, -34]);
  expect(at('x=120 z=-33')).toEqual([120, null, -33]);
  expect(at('X: 120, Y: 7, Z: −33')).toEqual([120, 7, -33]);
  expect(at('x 5 y 6 z 7')).toEqual([5, 6, 7]);
});

test('chunks and regions are squares, and their middle is meant', () => {
  expect(at('chunk 3 -4')).toEqual([112, null, -112]);
  expect(at('chunk 3,-4')).toEqual([112, null, -112]);
  expect(at('region -1.0')).toEqual([-512, null, 512]);
  expect(at('-1.0.region.bin')).toEqual([-512, null, 512]);
});

test('other texts are none', () => {
  for (const text of ['', '12', 'bar gold', '1 2 3 4', 'x=5', '12 gold', '99999999999 0', '1e9 2', 'chunk', '-', '1,,2']) expect(at(text)).toBeNull();
});
