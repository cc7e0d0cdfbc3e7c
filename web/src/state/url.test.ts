import { expect, test } from 'vitest';
import { type Address, format, parse } from './url';

test('what is written is read back', () => {
  const full: Address = { world: 'Tür & 100%', x: -12.5, z: 7, zoom: 1.25, layer: 'slice', y: 64, at: [1, 2, -3] };
  expect(parse(format(full))).toEqual(full);
  expect(parse(format({}))).toEqual({});
  expect(parse(format({ layer: 'inspect:bytes' }))).toEqual({ layer: 'inspect:bytes' });
});

test('a view in three dimensions is read back', () => {
  const full: Address = {
    x: 5,
    z: -7,
    space: { view: { yaw: 120.5, pitch: 30, distance: 80, y: 71, mode: 'orbit' }, hour: 6.25, cut: { min: [null, null, -3], max: [12, 0, null] } },
  };
  expect(format(full)).toBe('#x=5&z=-7&eye=120.5,30,80,71&hour=6.25&cut=,,-3,12,0,');
  expect(parse(format(full))).toEqual(full);
  const flight: Address = { space: { view: { yaw: 1, pitch: -20, distance: 6, y: 300, mode: 'fly' }, hour: 0 } };
  expect(parse(format(flight))).toEqual(flight);
  expect(parse('#eye=')).toEqual({ space: { view: { mode: 'orbit' } } });
  expect(parse('#eye=abc,20,,1e99&hour=99&cut=1,2')).toEqual({ space: { view: { pitch: 20, mode: 'orbit' } } });
});

test('a chosen column has no height', () => {
  expect(format({ at: [12, null, -20] })).toBe('#at=12,-20');
  expect(parse('#at=12,-20')).toEqual({ at: [12, null, -20] });
});

test('nonsense is left out and the rest is kept', () => {
  expect(parse('#x=abc&z=4&zoom=1')).toEqual({ zoom: 1 });
  expect(parse('#x=1&zoom=999')).toEqual({});
  expect(parse('#layer=<script>&y=70')).toEqual({ y: 70 });
  expect(parse('#x=1e99&z=0')).toEqual({});
  expect(parse('#at=1')).toEqual({});
  expect(parse('#at=1,abc')).toEqual({});
  expect(parse('#at=1,,3')).toEqual({});
  expect(parse('#at=1,2,3,4')).toEqual({});
  expect(parse('#at=1.7,2,-0.5')).toEqual({ at: [1, 2, -1] });
  expect(parse('#&&=&%')).toEqual({});
  expect(parse('')).toEqual({});
});

test('numbers are short', () => {
  expect(format({ x: 1.23456, z: -0.04, zoom: 0.33333 })).toBe('#x=1.2&z=0&zoom=0.33');
});
