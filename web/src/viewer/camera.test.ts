import { expect, test } from 'vitest';
import { direction, distanceOf, eye, flown, inMode, moved, resolutionAt, settled, type View } from './camera';
import { daylight } from './sun';

const k_view: View = { x: 100, y: 64, z: -50, yaw: 0, pitch: 90, distance: 200, mode: 'orbit' };
const near = (a: readonly number[], b: readonly number[]): void => a.forEach((value, i) => expect(value).toBeCloseTo(b[i]!, 6));

test('yaw 0 looks north, 90 east, and a pitch of 90 down', () => {
  near(direction({ yaw: 0, pitch: 0 }), [0, 0, -1]);
  near(direction({ yaw: 90, pitch: 0 }), [1, 0, 0]);
  near(direction({ yaw: 45, pitch: 90 }), [0, -1, 0]);
  near(eye(k_view), [100, 264, -50]);
  near(eye({ ...k_view, pitch: 30, distance: 100 }), [100, 114, -50 + 100 * Math.cos(Math.PI / 6)]);
  near(eye({ ...k_view, mode: 'fly' }), [100, 64, -50]);
});

test('the eye stays where it is when the mode changes', () => {
  const view = settled({ ...k_view, yaw: 200, pitch: 40 });
  const flight = inMode(view, 'fly');
  near(eye(flight), eye(view));
  near(eye(inMode(flight, 'orbit')), eye(view));
});

test('what is pressed moves as it is looked at', () => {
  const east = settled({ ...k_view, yaw: 90, pitch: 30 });
  near([moved(east, 0, 10, 0).x, moved(east, 0, 10, 0).z], [110, -50]);
  near([moved(east, 10, 0, 0).x, moved(east, 10, 0, 0).z], [100, -40]);
  expect(moved(east, 0, 0, 5).y).toBe(69);
  const down = flown({ ...east, mode: 'fly' }, 0, 10, 0);
  near([down.x, down.y], [100 + 10 * Math.cos(Math.PI / 6), 59]);
});

test('angles and distances stay within what exists', () => {
  expect(settled({ ...k_view, yaw: -30, pitch: 200, distance: 1e9, y: -999 })).toEqual({ ...k_view, yaw: 330, distance: 6000, y: -64 });
  expect(settled({ ...k_view, mode: 'fly', pitch: -200 }).pitch).toBe(-89);
});

test('a block is as large as on the flat map', () => {
  expect(resolutionAt(distanceOf(0.5, 800), 800)).toBeCloseTo(0.5, 9);
});

test('the sun goes from east to west, and nights are dark', () => {
  expect(daylight(12).sun[1]).toBeGreaterThan(0.943);
  expect(daylight(8).sun[0]).toBeGreaterThan(0.5);
  expect(daylight(16).sun[0]).toBeLessThan(-0.5);
  expect([daylight(12).day, daylight(0).day, daylight(23.9).day]).toEqual([1, 0, 0]);
  for (let hour = 0; hour < 24; hour += 0.25) for (const part of daylight(hour).sky) expect(part).toBeGreaterThanOrEqual(0);
});
