import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { address, expectPixel, k_middle, launch, open, type Opened, pixel, place, soon } from './browser.ts';
import type { WorldStatus } from '../src/data/types.ts';
import { heightAt, k_bounds, k_broken, pixelOf } from './made_world.ts';
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
    expect(text).toContain('3 of 18 slots used 3 Ingredient Bar Gold 2 Potion Health 1 Weapon Sword Iron 75 % durability');
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
    await page.getByRole('alert').getByText('There is no block at y 700: this world has y 0 to y 319.').waitFor();
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
    await status.getByText(/Orbis is still reading the world; more results will appear\./).waitFor();
    await page.getByRole('option').first().waitFor();
    expect((await status.innerText()).trim()).toBe('1 result.');
  });

  test('a page that hears no events still shows an edit', async () => {
    mock.full = true;
    const page = await visit('#x=70.5&z=90.5&zoom=0');
    await page.getByText('Too many pages of this map are open.').waitFor();
    expect(await page.getByText('The server does not answer').count()).toBe(0);
    await expectPixel(page, pixelOf('surface', 70, 90));
    const before = new Map(mock.asked); // others may still be on their way for the first time
    mock.edit(64, 84);
    await expectPixel(page, [230, 20, 20]);
    expect([...before].some(([tile, times]) => !/0\.0$/.test(tile) && times !== mock.asked.get(tile))).toBe(false);
    mock.full = false;
    await soon(async () => expect(await page.getByText('Too many pages').count()).toBe(0));
  });

  test('so does a page whose stream is taken away again and again', async () => {
    mock.cutting = true;
    const page = await visit('#x=70.5&z=90.5&zoom=0');
    await page.getByText('Too many pages of this map are open.').waitFor();
    await expectPixel(page, pixelOf('surface', 70, 90));
    mock.edit(64, 84);
    await expectPixel(page, [230, 20, 20]);
  });

  test('worlds come and go while the page is open', async () => {
    const world = (name: string): WorldStatus => ({ name, folder: name, state: 'ready', problems: [], left_out: 0 });
    mock.worlds = [world('default'), world('empty')];
    const page = await visit('#x=70.5&z=90.5&zoom=0');
    const choice = page.getByRole('combobox', { name: 'World' });
    await soon(async () => expect(await choice.innerText()).toMatch(/^default\s+empty$/));
    mock.send('worlds', { worlds: [world('arena'), world('default'), world('empty')] });
    await soon(async () => expect(await choice.innerText()).toMatch(/^arena\s+default\s+empty$/));
    await expectPixel(page, pixelOf('surface', 70, 90));
    mock.send('worlds', { worlds: [world('empty')] });
    await page.getByRole('alert').getByText('This world is gone').waitFor();
    mock.send('worlds', { worlds: [world('default')] });
    await soon(async () => expect(await page.getByRole('alert').count()).toBe(0));
    await expectPixel(page, pixelOf('surface', 70, 90));
  });

  test('a world whose chunks cannot be read says why', async () => {
    const problem = { file: 'worlds/empty/chunks', region: null, message: 'the folder cannot be opened: permission denied', advice: 'allow it with chmod' };
    const world: WorldStatus = { name: 'empty', folder: 'empty', state: 'failed', problems: [problem], left_out: 0 };
    mock.worlds = [world];
    opened = await open(browser, `${mock.address}#world=empty`);
    const alert = opened.page.getByRole('alert');
    await alert.getByText('The chunks of this world cannot be read').waitFor();
    expect((await alert.innerText()).replace(/\s+/g, ' ')).toContain('worlds/empty/chunks: The folder cannot be opened: permission denied. Allow it with chmod.');
    expect(await opened.page.getByText('no chunks yet').count()).toBe(0);
    mock.send('worlds', { worlds: [{ ...world, state: 'ready', problems: [] }] });
    await alert.getByText('This world has no chunks yet').waitFor();
  });

  test('a world of which nothing can be read is not called empty', async () => {
    const problem = { file: 'worlds/empty/chunks/0.0.region.bin', region: null, message: 'not a region file', advice: 'restore a backup' };
    mock.worlds = [{ name: 'empty', folder: 'empty', state: 'ready', problems: [problem], left_out: 2 }];
    opened = await open(browser, `${mock.address}#world=empty`);
    const alert = opened.page.getByRole('alert');
    await alert.getByText('The chunks of this world cannot be read').waitFor();
    expect((await alert.innerText()).replace(/\s+/g, ' ')).toContain('0.0.region.bin: Not a region file. 2 other files cannot be read either. Restore a backup.');
  });

  test('a world that the server refuses is shown with its words', async () => {
    mock.refused = { message: 'chunks cannot be read: Permission denied', advice: 'run it as the owner of the world' };
    opened = await open(browser, mock.address);
    const alert = opened.page.getByRole('alert');
    await alert.getByText('Chunks cannot be read: Permission denied.').waitFor();
    await alert.getByText('Run it as the owner of the world.').waitFor();
    mock.refused = null;
    mock.send('world', { world: 'default', generation: 1 });
    await soon(async () => expect(await alert.count()).toBe(0));
  });

  test('a world without an index says why, and nothing of another one is left', async () => {
    const problem = { file: 'worlds/broken/chunks', region: null, message: 'not a folder', advice: 'restore a backup' };
    const world = (name: string): WorldStatus => ({ name, folder: name, state: 'ready', problems: [], left_out: 0 });
    mock.worlds = [{ ...world('broken'), state: 'failed', problems: [problem] }, world('default')];
    const page = await visit('#world=default&x=70.5&z=90.5&zoom=0');
    await expectPixel(page, pixelOf('surface', 70, 90));
    const choice = page.getByRole('combobox', { name: 'World' });
    await choice.selectOption('broken');
    await page.getByRole('alert').getByText('worlds/broken/chunks: Not a folder.').waitFor();
    expect(await choice.inputValue()).toBe('broken');
    await expectPixel(page, [223, 228, 232], k_middle.x - 400, k_middle.y);
    await choice.selectOption('default');
    await soon(async () => expect(await page.getByRole('alert').count()).toBe(0));
  });

  test('files that cannot be read are told, with what to do', async () => {
    const problem = { file: 'worlds/default/chunks/1.0.region.bin', region: [1, 0] as [number, number], message: 'expected a header, found noise', advice: 'take the file from a backup' };
    mock.worlds = [{ name: 'default', folder: 'default', state: 'ready', problems: [problem], left_out: 2 }];
    const page = await visit('');
    await page.getByText('3 files cannot be read.').waitFor();
    await page.getByRole('button', { name: 'Details' }).click();
    const text = (await page.getByRole('region', { name: 'World' }).innerText()).replace(/\s+/g, ' ');
    expect(text).toContain('worlds/default/chunks/1.0.region.bin Expected a header, found noise. Take the file from a backup. And 2 more.');
  });

  test('a click on a chunk that cannot be read says why', async () => {
    const page = await visit(`#x=${k_broken[0] * 32 + 16}&z=${k_broken[1] * 32 + 16}&zoom=2`);
    await page.mouse.click(k_middle.x, k_middle.y);
    const panel = page.getByRole('region', { name: 'Block' });
    await panel.getByText('The frame of this chunk is broken.').waitFor();
    expect(await panel.innerText()).toContain('orbis repair WORLD --from BACKUP.');
  });

  test('an edit is seen, and only its tiles are read again', async () => {
    const page = await visit('#x=70.5&z=90.5&zoom=0');
    await expectPixel(page, pixelOf('surface', 70, 90));
    await soon(() => expect(mock.asked.size).toBeGreaterThan(3));
    const before = new Map(mock.asked);
    mock.edit(64, 84);
    await expectPixel(page, [230, 20, 20]);
    const again = [...mock.asked].filter(([tile, times]) => times > (before.get(tile) ?? times)).map(([tile]) => tile);
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

  test('progress is shown from the first moment on', async () => {
    mock.progress = { world: 'default', step: 'Reading region files', done: 3, total: 12 };
    const page = await visit('');
    await page.getByRole('progressbar').getByText('Reading region files').waitFor();
    await page.getByRole('progressbar').getByText('This runs in the background; the part you look at is drawn first.').waitFor();
    mock.send('progress', { world: 'default', done: 40, total: 100 });
    await soon(async () => expect(await page.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('40'));
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
    await page.getByRole('region', { name: 'Block' }).getByText('Light is stale').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'World' }).getByText('config.missing').waitFor();
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
    await soon(async () => expect(await page.getByRole('alert').count()).toBe(0));
    mock.edit(64, 84);
    await expectPixel(page, [230, 20, 20], k_middle.x + 14, k_middle.y + 14);
  });
});
