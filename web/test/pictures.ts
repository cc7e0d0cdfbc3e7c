// Makes the pictures of three dimensions in docs/pictures, of the sample world: npm run pictures. Look at them before they
// are committed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { launch, open } from './browser.ts';
import { run, up } from './orbis.ts';

const k_out = resolve('../docs/pictures');

/// Waits until every chunk around the place has come and been drawn.
async function loaded(page: Page): Promise<void> {
  await page.locator('[data-test=space][data-state=on]').waitFor();
  await page.keyboard.press('F3');
  const stats = page.locator('[data-test=stats]');
  await stats.waitFor();
  await page.waitForFunction(() => /Chunks\s*[1-9][\d,]*\s*Memory/.test(document.querySelector('[data-test=stats]')?.textContent ?? ''));
  await page.keyboard.press('F3');
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/// Without a graphics card a picture may take the browser longer than it waits for itself.
async function take(page: Page, path: string): Promise<void> {
  for (let tries = 3; ; --tries) {
    try {
      await page.screenshot({ timeout: 40_000, path });
      return;
    } catch (problem) {
      if (tries === 1) throw problem;
      await page.mouse.move(600 + tries, 400);
    }
  }
}

const work = mkdtempSync(join(tmpdir(), 'orbis-pictures-'));
const world = join(work, 'sample');
run('sample', world);
const server = await up(world, '--cache', join(work, 'cache'));
const browser = await launch(true);
const k_views: Record<string, string> = {
  space: '#x=56.5&z=118.5&zoom=2&eye=325,30,85,67&hour=10',
  'space-night': '#x=56.5&z=118.5&zoom=2&eye=325,26,60,67&hour=22',
  'space-cut': '#x=56.5&z=118.5&zoom=2&eye=325,48,60,67&hour=11&cut=,,,,67,',
};
const k_wanted = process.argv.slice(2); // all without any
try {
  for (const [name, hash] of Object.entries(k_views)) {
    if (k_wanted.length > 0 && !k_wanted.includes(name)) continue;
    const { page, errors } = await open(browser, server.address + hash);
    await page.getByRole('button', { name: 'Close layers' }).click();
    await loaded(page);
    await take(page, join(k_out, `${name}.png`));
    if (errors.length > 0) throw new Error(errors.join('\n'));
    await page.context().close();
  }
} finally {
  await browser.close();
  await server.stop();
  rmSync(work, { recursive: true, force: true });
}
