import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { address, expectPixel, k_middle, launch, open, type Opened, pixel, place, soon } from './browser.ts';
import { heightAt, k_bounds, pixelOf } from './made_world.ts';
import { type Mock, mockServer } from './mock_server.ts';

let browser: Browser;
let mock: Mock;
let opened: Opened;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
beforeEach(async () => {
  mock = await mockServer(inject('served'));
});
afterEach(async () => {
  expect(opened.errors).toEqual([]);
  await opened.page.context().close();
  await mock.stop();
});

async function visit(hash: string): Promise<Page> {
  opened = await open(browser, mock.address + hash);
  await opened.page.locator('[data-test=block]').waitFor();
  return opened.page;
}

describe('a map from a server', () => {
  test('a click on a block shows everything about it', async () => {
    const page = await visit('#x=100.5&z=50.5&zoom=5');
    await expectPixel(page, pixelOf('surface', 100, 50));
    await page.mouse.click(k_middle.x, k_middle.y);
    const panel = page.getByRole('region', { name: 'Block' });
    await panel.getByText('Soil_Grass').waitFor();
    const height = heightAt(100, 50);
    const text = (await panel.innerText()).replace(/\s+/g, ' ');
    expect(text).toContain(`100, ${height}, 50`);
    expect(text).toContain('Environment Zone1 Plains');
    expect(text).toContain('sky 15');
    expect(text).toContain('#74a838');
    await panel.getByRole('button', { name: 'One block up' }).click();
    await panel.getByRole('heading', { name: 'Air' }).waitFor();
    await soon(() => expect(address(page).get('at')).toBe(`100,${height + 1},50`));
    await panel.getByRole('button', { name: 'One block down' }).click();
    await panel.getByText('Soil_Grass').waitFor();
    await panel.getByRole('button', { name: 'All data' }).click();
    expect(await panel.locator('pre').innerText()).toContain('"local_light"');
    await soon(() => expect(address(page).get('at')).toBe(`100,${height},50`));
  });

  test('a chest shows its contents as a list', async () => {
    const page = await visit(`#x=12.5&z=-19.5&zoom=5&at=12,${heightAt(12, -20) + 1},-20`);
    const panel = page.getByRole('region', { name: 'Block' });
    await panel.getByText('Ingredient Bar Gold').waitFor();
    const text = (await panel.innerText()).replace(/\s+/g, ' ');
    expect(text).toContain('3 of 18 slots used 3 Ingredient Bar Gold 2 Potion Health 1 Weapon Sword Iron 75 % whole');
  });

  test('an address without a block closes its panel', async () => {
    const page = await visit('#x=100.5&z=50.5&zoom=5&at=100,60,50');
    const panel = page.getByRole('region', { name: 'Block' });
    await panel.getByText('Soil_Grass').waitFor();
    await page.evaluate(() => (location.hash = '#x=90.5&z=50.5&zoom=5'));
    await soon(async () => expect(await panel.count()).toBe(0));
  });

  test('a height outside of the world is said in a sentence', async () => {
    const page = await visit('#at=5,700,5');
    await page.getByRole('alert').getByText('There is no block at y 700: this world goes from y 0 to y 319.').waitFor();
    expect(opened.requests.some((each) => each.includes('/api/block/'))).toBe(false);
  });

  test('a click where there is no chunk says so', async () => {
    const page = await visit(`#x=${k_bounds.min[0] - 20}&z=0&zoom=2`);
    await page.mouse.click(k_middle.x - 20, k_middle.y);
    await page.getByRole('heading', { name: 'No chunk here' }).waitFor();
  });

  test('search asks the server', async () => {
    const page = await visit('');
    await page.keyboard.press('/');
    await page.keyboard.type('harbour');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await soon(() => expect(place(page)).toEqual({ x: -310.5, z: 240.5, zoom: 4 }));
    expect(opened.requests.some((each) => each.includes('/api/search/default?q=harbour'))).toBe(true);
  });

  test('a search in a world that is still read goes on by itself', async () => {
    const page = await visit('');
    mock.reading = 2;
    await page.getByRole('combobox', { name: /Search/ }).fill('harbour');
    const status = page.getByRole('region', { name: 'Search' }).getByRole('status');
    await status.getByText('The chunks are still being read. Try again in a moment.').waitFor();
    await status.getByText(/The world is still being read; the rest appears by itself\./).waitFor();
    await page.getByRole('option').first().waitFor();
    expect((await status.innerText()).trim()).toBe('1 place.');
  });

  test('a server with too many listeners is asked now and then instead', async () => {
    const folder = join(inject('work'), 'asked');
    cpSync(inject('served'), folder, { recursive: true });
    await mock.stop();
    mock = await mockServer(folder);
    mock.full = true;
    const page = await visit('#x=70.5&z=90.5&zoom=0');
    await page.getByText('Live updates are not available: too many pages are open.').waitFor();
    expect(await page.getByText('The server does not answer').count()).toBe(0);
    await expectPixel(page, pixelOf('surface', 70, 90));
    const file = join(folder, 'worlds/default/world.js');
    const before = readFileSync(file, 'utf8');
    mock.edit(64, 84);
    writeFileSync(file, before.replace(/"generation":\d+/, '"generation":77'));
    await expectPixel(page, [230, 20, 20]);
    mock.full = false;
    await soon(async () => expect(await page.getByText('Live updates are not available').count()).toBe(0), 15_000);
  });

  test('an edit is seen within two seconds, and only its tiles are read again', async () => {
    const page = await visit('#x=70.5&z=90.5&zoom=0');
    await expectPixel(page, pixelOf('surface', 70, 90));
    await soon(() => expect(mock.asked.size).toBeGreaterThan(3));
    await page.waitForTimeout(300);
    const before = new Map(mock.asked);
    const start = Date.now();
    mock.edit(64, 84);
    await expectPixel(page, [230, 20, 20]);
    expect(Date.now() - start).toBeLessThan(2000);
    const again = [...mock.asked].filter(([tile, times]) => times !== (before.get(tile) ?? 0)).map(([tile]) => tile);
    expect(again.every((tile) => /^surface\/\d\/0\.0$/.test(tile))).toBe(true);
    expect(again).toContain('surface/0/0.0');
  });

  test('a world that grows can be seen as far as it goes', async () => {
    const folder = join(inject('work'), 'growing');
    cpSync(inject('served'), folder, { recursive: true });
    const file = join(folder, 'worlds/default/world.js');
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.replace('"max":[1024,512]', '"max":[0,512]'));
    await mock.stop();
    mock = await mockServer(folder);
    const page = await visit('#x=-99.5&z=50.5&zoom=4');
    await expectPixel(page, pixelOf('surface', -100, 50));
    writeFileSync(file, whole);
    mock.send('world', { world: 'default', generation: 2 });
    await soon(async () => {
      await page.evaluate(() => (location.hash = '#x=800.5&z=50.5&zoom=4'));
      expect(await pixel(page)).toEqual(pixelOf('surface', 800, 50).slice(0, 3));
    });
  });

  test('any height of a slice', async () => {
    const page = await visit('#x=100.5&z=50.5&zoom=4&layer=slice&y=60');
    await expectPixel(page, pixelOf('slice@60', 100, 50));
    await page.getByRole('slider').fill('33');
    await expectPixel(page, pixelOf('slice@33', 100, 50));
    await page.getByRole('application').focus();
    await page.keyboard.press('PageUp');
    await soon(() => expect([...mock.asked.keys()].some((tile) => tile.startsWith('slice@34/'))).toBe(true));
  });

  test('a click in a slice means the block at its height', async () => {
    const page = await visit('#x=100.5&z=50.5&zoom=4&layer=slice&y=41');
    await page.mouse.click(k_middle.x, k_middle.y);
    await page.getByRole('region', { name: 'Block' }).getByText('100, 41, 50').waitFor();
  });

  test('progress is shown while the rest is rendered', async () => {
    const page = await visit('');
    await soon(async () => {
      mock.send('progress', { world: 'default', done: 40, total: 100 });
      expect(await page.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('40');
    });
    mock.send('progress', { world: 'default', done: 100, total: 100 });
    await soon(async () => expect(await page.getByRole('progressbar').count()).toBe(0));
  });

  test('findings of verify are shown per chunk', async () => {
    const page = await visit('#x=80&z=112&zoom=2&layer=inspect:findings');
    await page.mouse.move(k_middle.x, k_middle.y);
    await page.mouse.move(k_middle.x + 1, k_middle.y);
    await page.getByRole('tooltip').getByText('Findings: 4').waitFor();
    const legend = page.getByRole('region', { name: 'Legend' });
    expect(await legend.innerText()).toMatch(/Notes\s+Damage/);
    // One damage is red, more notes than that are not.
    const [red, , blue] = await pixel(page, k_middle.x - 32 * 4, k_middle.y + 20);
    expect(red - blue).toBeGreaterThan(70);
    const notes = await pixel(page, k_middle.x + 20, k_middle.y + 20);
    expect(notes[2]).toBeGreaterThan(notes[0]);
    await page.mouse.click(k_middle.x, k_middle.y);
    await page.getByRole('region', { name: 'Block' }).getByText('light is stale').waitFor();
  });

  test('a server that goes away is noticed, and its return', async () => {
    const page = await visit('#x=70.5&z=90.5&zoom=0');
    await expectPixel(page, pixelOf('surface', 70, 90));
    const port = Number(new URL(mock.address).port);
    await mock.stop();
    await page.getByRole('alert').getByText('The server does not answer').waitFor();
    await page.mouse.click(k_middle.x, k_middle.y);
    await page.getByRole('region', { name: 'Block' }).getByText('orbis up').waitFor();
    mock = await mockServer(inject('served'), port);
    await soon(async () => expect(await page.getByRole('alert').count()).toBe(0), 15_000);
    mock.edit(64, 84);
    await expectPixel(page, [230, 20, 20], k_middle.x + 14, k_middle.y + 14);
  });
});
