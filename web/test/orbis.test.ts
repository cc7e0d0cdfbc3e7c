import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { address, expectPixel, k_middle, launch, open, place, soon } from './browser.ts';
import { picture, run } from './orbis.ts';

let browser: Browser;
let universe: string;
const k_west = -320; // of the sample's picture
const k_north = -320;

beforeAll(async () => {
  browser = await launch();
  universe = join(inject('work'), 'universe');
  run('sample', universe);
});
afterAll(() => browser.close());

describe('a map that orbis made of the sample', () => {
  let url: string;

  beforeAll(() => {
    const folder = join(inject('work'), 'sample-map');
    run('map', universe, folder, '--layers', 'surface,height,slice@50,slice@64,cave@50');
    url = pathToFileURL(join(folder, 'index.html')).href;
  });

  test('has no script that only a server has a use for', () => {
    const folders = readdirSync(join(inject('work'), 'sample-map'));
    expect(folders).toContain('assets');
    expect(folders).not.toContain('viewer');
    expect(folders).not.toContain('inspector');
  });

  test('shows the pixels of orbis map --image, layer by layer', async () => {
    const [x, z] = [101, 37];
    const { page, errors } = await open(browser, `${url}#x=${x + 0.5}&z=${z + 0.5}&zoom=5`);
    for (const [layer, key] of [
      ['surface', '1'],
      ['slice@64', '2'],
      ['height', '4'],
    ] as const) {
      await page.keyboard.press(key);
      const drawn = picture(universe, layer, join(inject('work'), 'layer.png'));
      for (const [dx, dz] of [[0, 0], [4, 3], [-3, 5]] as const) {
        await expectPixel(page, drawn.at(x + dx - k_west, z + dz - k_north), k_middle.x + dx * 32, k_middle.y + dz * 32);
      }
    }
    expect(errors).toEqual([]);
  });

  test('finds gold in a chest and shows what else is in it', async () => {
    const { page, requests } = await open(browser, url);
    await page.getByRole('combobox', { name: /Search/ }).fill('bar gold');
    await page.getByRole('option').nth(1).waitFor();
    const [found] = await page.getByRole('option').allInnerTexts();
    const [x, y, z] = /(-?\d+), (-?\d+), (-?\d+)\s*$/.exec(found ?? '')?.slice(1).map(Number) ?? [];
    const block = JSON.parse(run('get', universe, '--json', '--', String(x), String(y), String(z))) as { components: { ItemContainerBlock: { ItemContainer: { Items: Record<string, { Id: string; Quantity: number }> } } } };
    const items = Object.values(block.components.ItemContainerBlock.ItemContainer.Items);
    expect(items.map((item) => item.Id)).toContain('Ingredient_Bar_Gold');
    await page.keyboard.press('Enter');
    await soon(() => expect(address(page).get('at')).toBe(`${x},${y},${z}`));
    await soon(() => expect(place(page)).toMatchObject({ x, z }));
    const panel = (await page.getByRole('region', { name: 'Block' }).innerText()).replace(/\s+/g, ' ');
    for (const item of items) expect(panel).toContain(`${item.Quantity} ${item.Id.replaceAll('_', ' ')}`);
    expect(requests.filter((each) => !each.startsWith('file://') && !each.startsWith('data:'))).toEqual([]);
  });

  test('finds a block where it is', async () => {
    const { page } = await open(browser, url);
    await page.getByRole('combobox', { name: /Search/ }).fill('ore iron');
    await page.getByRole('option').nth(2).waitFor();
    for (const found of (await page.getByRole('option').allInnerTexts()).slice(0, 3)) {
      const at = /(-?\d+), (-?\d+), (-?\d+)\s*$/.exec(found)?.slice(1) ?? [];
      const { block } = JSON.parse(run('get', universe, '--json', '--', ...at)) as { block: string };
      expect(block).toMatch(/^Ore_Iron/);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /Show the slice at y/ }).click();
    await soon(() => expect(address(page).get('layer')).toBe('slice'));
  });

  test('has fluids in its legend', async () => {
    const { page } = await open(browser, url);
    await soon(async () => expect(await page.getByRole('region', { name: 'Legend' }).innerText()).toMatch(/Fluids\s+Water/));
  });

  test('knows markers, warps, players and entities', async () => {
    const { page } = await open(browser, url);
    const field = page.getByRole('combobox', { name: /Search/ });
    for (const text of ['Watch tower', 'Wanderer', 'hut']) {
      await field.fill(text);
      await soon(async () => expect((await page.locator('#hits').innerText()).toLowerCase()).toContain(text.toLowerCase()));
    }
    for (const name of ['Players', 'Warps', 'Containers', 'Entities']) expect(await page.getByRole('checkbox', { name }).isEnabled()).toBe(true);
  });

  test('shows values per chunk', async () => {
    const { page, errors } = await open(browser, `${url}#layer=inspect:bytes`);
    await page.mouse.move(500, 400);
    await page.mouse.move(501, 400);
    await page.getByRole('tooltip').getByText(/Stored bytes: .*B/).waitFor();
    expect(errors).toEqual([]);
  });
});
