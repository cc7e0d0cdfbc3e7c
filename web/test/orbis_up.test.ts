import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { address, expectPixel, k_middle, launch, open, place, soon } from './browser.ts';
import { picture, run, up, type Up } from './orbis.ts';

let browser: Browser;
let original: string;
let universe: string;
let server: Up;
const k_edge = -320; // west and north of the sample's picture

beforeAll(async () => {
  browser = await launch();
  original = join(inject('work'), 'original');
  universe = join(inject('work'), 'live');
  run('sample', original);
  cpSync(original, universe, { recursive: true });
  server = await up(universe, '--cache', join(inject('work'), 'cache'));
});
afterAll(async () => {
  await server.stop();
  await browser.close();
});

const block = (x: number, y: number, z: number): Record<string, unknown> =>
  JSON.parse(run('get', original, '--json', '--', String(x), String(y), String(z))) as Record<string, unknown>;

describe('the sample, served by orbis up', () => {
  test('shows the pixels of orbis map --image, also of a height that nobody rendered before', async () => {
    const [x, z] = [101, 37];
    const { page, errors } = await open(browser, `${server.address}#x=${x + 0.5}&z=${z + 0.5}&zoom=5`);
    const expectLayer = async (layer: string): Promise<void> => {
      const drawn = picture(original, layer, join(inject('work'), 'live.png'));
      for (const [dx, dz] of [[0, 0], [4, 3], [-3, 5]] as const) {
        await expectPixel(page, drawn.at(x + dx - k_edge, z + dz - k_edge), k_middle.x + dx * 32, k_middle.y + dz * 32);
      }
    };
    await expectLayer('surface');
    await page.keyboard.press('2');
    await page.getByRole('slider').fill('57');
    await expectLayer('slice@57');
    await page.getByRole('application').focus();
    await page.keyboard.press('6');
    await expectLayer('environment');
    expect(errors).toEqual([]);
  });

  test('in three dimensions a click shows what is there', async () => {
    const [x, z] = [101, 37];
    const drawing = await launch(true);
    try {
      const { page, errors } = await open(drawing, `${server.address}#x=${x + 0.5}&z=${z + 0.5}&zoom=3&eye=0,90,60&hour=12`);
      await page.locator('[data-test=space][data-state=on]').waitFor();
      const panel = page.getByRole('region', { name: 'Block' });
      await soon(async () => {
        await page.mouse.click(k_middle.x, k_middle.y); // until the chunk is there
        expect(await panel.count()).toBe(1);
      });
      await panel.getByRole('button', { name: 'All data' }).click();
      const said = JSON.parse(await panel.locator('pre').innerText()) as Record<string, unknown>;
      expect([said['x'], said['z']]).toEqual([x, z]);
      expect(said['block']).not.toBe('Empty');
      expect(said['y'], 'nothing is above it').toBeGreaterThanOrEqual(Number(said['height']));
      expect(said).toEqual(block(x, Number(said['y']), z));
      expect(errors).toEqual([]);
    } finally {
      await drawing.close();
    }
  });

  test('a click on a block shows what orbis get says', async () => {
    const [x, z] = [101, 37];
    const { page, errors } = await open(browser, `${server.address}#x=${x + 0.5}&z=${z + 0.5}&zoom=5`);
    await page.locator('[data-test=block]').waitFor();
    await page.mouse.click(k_middle.x, k_middle.y);
    const panel = page.getByRole('region', { name: 'Block' });
    await panel.getByRole('button', { name: 'All data' }).click();
    const said = JSON.parse(await panel.locator('pre').innerText()) as Record<string, unknown>;
    expect(said['height']).toBe(said['y']);
    expect(said).toEqual(block(x, Number(said['y']), z));
    expect(await panel.innerText()).toContain(String(said['block']));
    expect(errors).toEqual([]);
  });

  test('a click in the cave view means the floor that is seen', async () => {
    // A place where the caves of the sample are open below the ground.
    const drawn = picture(original, 'cave@64', join(inject('work'), 'cave.png'));
    const rock = (x: number, z: number): boolean => drawn.at(x - k_edge, z - k_edge).every((value) => value < 50);
    let [x, z] = [-200, -200];
    while (rock(x, z)) if (++x === 0) [x, z] = [-200, z + 1];
    const { page } = await open(browser, `${server.address}#x=${x + 0.5}&z=${z + 0.5}&zoom=5&layer=cave&y=64`);
    await page.locator('[data-test=block]').waitFor();
    await page.mouse.click(k_middle.x, k_middle.y);
    const panel = page.getByRole('region', { name: 'Block' });
    await panel.getByRole('button', { name: 'All data' }).click();
    const said = JSON.parse(await panel.locator('pre').innerText()) as { y: number; block: string; height: number };
    expect(said.y).toBeLessThan(Math.min(64, said.height));
    expect(said.block).not.toBe('Empty');
    expect(block(x, said.y + 1, z)['opacity'] ?? 'Transparent').toBe('Transparent');
  });

  test('search finds gold, and its chest is shown with all its items', async () => {
    const { page, errors } = await open(browser, server.address);
    const field = page.getByRole('combobox', { name: /Search/ });
    // The first look over the world may still be under way.
    await soon(async () => {
      await field.fill('');
      await field.fill('bar gold');
      await page.getByRole('option').first().waitFor({ timeout: 1500 });
    });
    const [found] = await page.getByRole('option').allInnerTexts();
    const [x = 0, y = 0, z = 0] = /(-?\d+), (-?\d+), (-?\d+)\s*$/.exec(found ?? '')?.slice(1).map(Number) ?? [];
    await page.keyboard.press('Enter');
    await soon(() => expect(address(page).get('at')).toBe(`${x},${y},${z}`));
    await soon(() => expect(place(page)).toMatchObject({ x, z }));
    const { components } = block(x, y, z) as { components: { ItemContainerBlock: { ItemContainer: { Items: Record<string, { Id: string; Quantity: number }> } } } };
    const items = Object.values(components.ItemContainerBlock.ItemContainer.Items);
    expect(items.map((item) => item.Id)).toContain('Ingredient_Bar_Gold');
    const panel = page.getByRole('region', { name: 'Block' });
    await soon(async () => {
      const text = (await panel.innerText()).replace(/\s+/g, ' ');
      for (const item of items) expect(text).toContain(`${item.Quantity} ${item.Id.replaceAll('_', ' ')}`);
    });
    expect(errors).toEqual([]);
  });

  test('search finds a block where it is', async () => {
    const { page, errors } = await open(browser, server.address);
    const field = page.getByRole('combobox', { name: /Search/ });
    await soon(async () => {
      await field.fill('');
      await field.fill('ore iron');
      await page.getByRole('option').first().waitFor({ timeout: 1500 });
    });
    const [found] = await page.getByRole('option').allInnerTexts();
    const [x = 0, y = 0, z = 0] = /(-?\d+), (-?\d+), (-?\d+)\s*$/.exec(found ?? '')?.slice(1).map(Number) ?? [];
    expect(block(x, y, z)['block']).toMatch(/^Ore_Iron/);
    await field.press('Enter');
    const panel = page.getByRole('region', { name: 'Block' });
    await panel.getByRole('heading', { name: /^Ore Iron/ }).waitFor();
    await panel.getByRole('button', { name: `Show the slice at y ${y}` }).click();
    await soon(() => expect(address(page).get('y')).toBe(String(y)));
    expect(errors).toEqual([]);
  });

  test('worlds that come and go are in the list', async () => {
    const { page } = await open(browser, server.address);
    await page.locator('[data-test=block]').waitFor();
    const more = join(universe, 'worlds', 'annex');
    cpSync(join(original, 'worlds', 'default'), more, { recursive: true });
    const choice = page.getByRole('combobox', { name: 'World' });
    await soon(async () => expect(await choice.innerText()).toContain('annex'));
    rmSync(more, { recursive: true });
    await soon(async () => expect(await choice.count()).toBe(0));
  });

  test('a chunk that changes on disk changes in the page by itself', async () => {
    const [x, z] = [101, 37];
    const chunk = `${Math.floor(x / 32)},${Math.floor(z / 32)}`;
    const { page, errors } = await open(browser, `${server.address}#x=${x + 0.5}&z=${z + 0.5}&zoom=3`);
    const before = picture(original, 'surface', join(inject('work'), 'before.png')).at(x - k_edge, z - k_edge);
    await expectPixel(page, before);
    run('prune', universe, '--keep', `!${chunk}`);
    await expectPixel(page, [223, 228, 232]);
    run('restore', universe, '--from', original, '--chunks', chunk);
    await expectPixel(page, before);
    expect(errors).toEqual([]);
  });

  test('markers, values per chunk and findings', async () => {
    const { page, errors } = await open(browser, server.address);
    await soon(async () => expect(await page.getByRole('checkbox', { name: 'Containers' }).isEnabled()).toBe(true));
    await page.getByText('Stored bytes', { exact: true }).click();
    await page.mouse.move(500, 400);
    await page.mouse.move(501, 400);
    await page.getByRole('tooltip').getByText(/Stored bytes: .*B/).waitFor();
    await page.getByText('Findings', { exact: true }).click();
    await soon(async () => expect(await page.getByRole('region', { name: 'Legend' }).innerText()).toMatch(/No chunk has any|logarithmic/));
    expect(errors).toEqual([]);
  });
});
