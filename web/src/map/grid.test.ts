import { describe, expect, test } from 'vitest';
import { blockAt, chunkOf, extentOf, farthestZoom, levelOf, regionOf, resolutionOf, resolutionsOf, scaleBar, zoomOf } from './grid';

describe('the grid', () => {
  test('levels run from the coarsest to one pixel per block', () => {
    expect(resolutionsOf(3)).toEqual([4, 2, 1]);
    expect([0, 1, 2].map((z) => levelOf(3, z))).toEqual([2, 1, 0]);
    expect(resolutionsOf(0)).toEqual([1]);
  });

  test('north is up, and blocks below zero are rounded down', () => {
    expect(blockAt([0.2, 0.2])).toEqual([0, -1]);
    expect(blockAt([-0.2, -0.2])).toEqual([-1, 0]);
    expect(blockAt([5, 0])).toEqual([5, 0]);
    expect(Object.is(blockAt([0, 0])[1], 0)).toBe(true);
    expect([chunkOf(-1), chunkOf(31), chunkOf(32), regionOf(-1025)]).toEqual([-1, 0, 1, -2]);
  });

  test('the extent turns the z axis around', () => {
    expect(extentOf({ min: [-32, -64], max: [96, 128] })).toEqual([-32, -128, 96, 64]);
  });

  test('zoom and resolution are each other’s inverse', () => {
    for (const zoom of [-6, -0.5, 0, 3]) expect(zoomOf(resolutionOf(zoom))).toBeCloseTo(zoom);
    expect(farthestZoom({ min: [0, 0], max: [4000, 10] }, 1000, 800)).toBe(-3);
  });

  test('the scale bar is a round number that fits', () => {
    expect(scaleBar(1, 110)).toEqual({ blocks: 100, pixels: 100 });
    expect(scaleBar(4, 110)).toEqual({ blocks: 200, pixels: 50 });
    expect(scaleBar(1 / 32, 110)).toEqual({ blocks: 2, pixels: 64 });
    for (let zoom = -9; zoom <= 5; zoom += 0.25) {
      const { blocks, pixels } = scaleBar(resolutionOf(zoom), 110);
      expect(pixels).toBeLessThanOrEqual(110);
      expect(String(blocks)).toMatch(/^[125]0*$/);
    }
  });
});
