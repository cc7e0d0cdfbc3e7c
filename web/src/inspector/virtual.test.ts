import { describe, expect, test } from 'vitest';
import { heightOf, inSight, isSqueezed, k_tallest, lastTop, reveal, scrollAt, topAt } from './virtual';

const short = { rows: 1000, row: 24, view: 480 };
const long = { rows: 5_000_000, row: 24, view: 480 };

describe('a virtual list', () => {
  test('a short list scrolls pixel by pixel', () => {
    expect(heightOf(short)).toBe(24_000);
    expect(isSqueezed(short)).toBe(false);
    expect(topAt(short, 240)).toBeCloseTo(10);
    expect(inSight(short, 10.5)).toEqual({ from: 10, to: 31, above: 12 });
  });

  test('a long list is no taller than browsers can bear, and all of it can be reached', () => {
    expect(heightOf(long)).toBe(k_tallest);
    expect(isSqueezed(long)).toBe(true);
    expect(topAt(long, 0)).toBe(0);
    expect(topAt(long, k_tallest - 480)).toBe(lastTop(long));
    expect(inSight(long, lastTop(long)).to).toBe(5_000_000);
  });

  test('the place of the scroll bar and the row are the same both ways', () => {
    for (const shape of [short, long]) {
      for (const top of [0, 1, 17.25, 500, lastTop(shape)]) expect(topAt(shape, scrollAt(shape, top))).toBeCloseTo(top, 3);
    }
  });

  test('a list that fits does not scroll', () => {
    const few = { rows: 3, row: 24, view: 480 };
    expect(lastTop(few)).toBe(0);
    expect(topAt(few, 100)).toBe(0);
    expect(scrollAt(few, 2)).toBe(0);
    expect(inSight(few, 0)).toEqual({ from: 0, to: 3, above: 0 });
    expect(inSight({ ...few, rows: 0 }, 0)).toEqual({ from: 0, to: 0, above: 0 });
  });

  test('a row is brought into sight by the least move', () => {
    expect(reveal(short, 10, 15)).toBe(10);
    expect(reveal(short, 10, 3)).toBe(3);
    expect(reveal(short, 10, 30)).toBe(11);
    expect(reveal(short, 10, 999)).toBe(980);
  });
});
