import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { launch, open, soon } from './browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/// From now on the page keeps how many pictures each frame draws.
async function countPictures(page: Page): Promise<void> {
  await page.evaluate(() => {
    const frames: number[] = [0];
    Object.assign(window, { frames });
    const next = (): void => {
      frames.push(0);
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
    const draw = CanvasRenderingContext2D.prototype.drawImage as (...given: unknown[]) => void;
    CanvasRenderingContext2D.prototype.drawImage = function (this: CanvasRenderingContext2D, ...given: unknown[]): void {
      frames[frames.length - 1]! += 1;
      draw.apply(this, given);
    };
  });
}

/// The most pictures that a frame draws while the map is dragged and zoomed.
async function mostPictures(page: Page): Promise<number> {
  const begin = await page.evaluate(() => (window as unknown as { frames: number[] }).frames.length);
  await page.mouse.move(600, 400);
  await page.mouse.down();
  for (let i = 0; i < 60; ++i) await page.mouse.move(600 + 200 * Math.sin(i / 8), 400 + 120 * Math.cos(i / 8));
  await page.mouse.up();
  for (let i = 0; i < 10; ++i) await page.mouse.wheel(0, i < 5 ? -200 : 200);
  return page.evaluate((from) => Math.max(...(window as unknown as { frames: number[] }).frames.slice(from)), begin);
}

/// How long a frame takes depends on the machine; what it draws does not. Points are gathered by places of the screen, so
/// a frame has no more of them than the screen has room for.
test('100,000 containers and 100,000 entities are drawn as no more pictures than fit on the screen', async () => {
  const url = pathToFileURL(join(inject('crowded'), 'index.html')).href;
  const { page, errors } = await open(browser, `${url}#x=200&z=0&zoom=-0.5`, { reducedMotion: 'no-preference' });
  await soon(async () => expect(await page.getByRole('checkbox', { name: 'Entities' }).isEnabled()).toBe(true));
  await countPictures(page);
  const bare = await mostPictures(page);
  await page.keyboard.press('c');
  await page.keyboard.press('e');
  await soon(async () => expect(await mostPictures(page)).toBeGreaterThan(bare + 50));
  const full = await mostPictures(page);
  console.log(`pictures in a frame: ${bare} without points, ${full} with 200,000 of them`);
  expect(full).toBeLessThan(2000);
  expect(errors).toEqual([]);
});
