import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { address, expectPixel, k_middle, launch, open, type Opened, pixel, place, soon } from './browser.ts';
import { heightAt, k_broken, pixelOf } from './made_world.ts';

let browser: Browser;
const opened: Opened[] = [];
const index = (folder = inject('exported')): string => pathToFileURL(join(folder, 'index.html')).href;

async function visit(hash: string, options = {}, url = index()): Promise<Page> {
  const each = await open(browser, url + hash, options);
  opened.push(each);
  return each.page;
}

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
afterEach(async () => {
  for (const { page, errors } of opened.splice(0)) {
    expect(errors).toEqual([]);
    await page.context().close();
  }
});

// A hill where no marker stands, so that slices have something to show.
const k_spot = { x: 200, z: 200 };
while (heightAt(k_spot.x, k_spot.z) < 95) ++k_spot.x;
const spot = (zoom: number, more = ''): string => `#x=${k_spot.x + 0.5}&z=${k_spot.z + 0.5}&zoom=${zoom}${more}`;

describe('an exported map, opened by a double click', () => {
  test('shows each block where it is, with sharp edges', async () => {
    const page = await visit(spot(5));
    for (const [dx, dz] of [[0, 0], [3, -2], [-7, 5]] as const) {
      const colour = pixelOf('surface', k_spot.x + dx, k_spot.z + dz);
      // Anywhere in the block, not only in its middle.
      for (const off of [-12, 0, 12]) await expectPixel(page, colour, k_middle.x + dx * 32 + off, k_middle.y + dz * 32 + off);
    }
  });

  test('asks nobody but the folder', async () => {
    const page = await visit('');
    await page.keyboard.press('/');
    await page.keyboard.type('gold');
    await page.locator('[role=option]').first().waitFor();
    const { requests } = opened[0]!;
    expect(requests.length).toBeGreaterThan(5);
    expect(requests.filter((each) => !each.startsWith('file://') && !each.startsWith('data:'))).toEqual([]);
  });

  test('pans by drag and by keys, and the address follows', async () => {
    const page = await visit(spot(0));
    await soon(() => expect(place(page)).toEqual({ x: k_spot.x + 0.5, z: k_spot.z + 0.5, zoom: 0 }));
    await page.mouse.move(600, 500);
    await page.mouse.down();
    await page.mouse.move(590, 490); // the map starts to follow here
    await page.mouse.move(490, 430, { steps: 4 });
    await page.waitForTimeout(200); // held still, so that nothing is thrown
    await page.mouse.up();
    await soon(() => expect(place(page)).toEqual({ x: k_spot.x + 100.5, z: k_spot.z + 60.5, zoom: 0 }));
    await page.keyboard.press('ArrowLeft');
    await soon(() => expect(place(page).x).toBe(k_spot.x - 19.5));
    await page.keyboard.press('ArrowUp');
    await soon(() => expect(place(page).z).toBe(k_spot.z - 59.5));
  });

  test('zooms by keys, buttons and wheel, from the whole world to single blocks', async () => {
    const page = await visit(spot(1));
    await page.keyboard.press('+');
    await soon(() => expect(place(page).zoom).toBe(2));
    await page.keyboard.press('-');
    await soon(() => expect(place(page).zoom).toBe(1));
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await soon(() => expect(place(page).zoom).toBe(2));
    await page.mouse.move(k_middle.x, k_middle.y);
    await page.mouse.wheel(0, -400);
    await soon(() => expect(place(page).zoom).toBeGreaterThan(2));
    for (let i = 0; i < 6; ++i) await page.keyboard.press('+');
    await soon(() => expect(place(page).zoom).toBe(5));
    await page.keyboard.press('0');
    await soon(() => expect(place(page).zoom).toBeLessThan(0));
  });

  test('a shared address opens the same view', async () => {
    const page = await visit(spot(4, '&layer=slice&y=90&at=12,113,-20'));
    await expectPixel(page, pixelOf('slice@90', k_spot.x, k_spot.z));
    await page.getByRole('region', { name: 'Block' }).waitFor();
    await soon(() => {
      expect(address(page).get('layer')).toBe('slice');
      expect(address(page).get('y')).toBe('90');
      expect(address(page).get('at')).toBe('12,113,-20');
    });
  });

  test('a clicked place is part of the address', async () => {
    const page = await visit(spot(5));
    await page.mouse.click(k_middle.x, k_middle.y);
    await soon(() => expect(address(page).get('at')).toBe(`${k_spot.x},${k_spot.z}`));
    await page.reload();
    await page.getByRole('region', { name: 'Block' }).getByText(`${k_spot.x}, ${k_spot.z}`).waitFor();
  });

  test('a broken address still shows a map', async () => {
    const page = await visit('#x=1e9999&layer=nothing&zoom=abc&world=gone&at=1');
    await soon(async () => expect(await page.getByRole('radio', { name: 'Surface' }).isChecked()).toBe(true));
    await soon(() => expect(place(page).zoom).toBeLessThan(0.5));
    await soon(async () => expect(await page.getByRole('checkbox', { name: 'Containers' }).isEnabled()).toBe(true));
    for (const layer of ['inspect:constructor', 'inspect:', 'slice@1', 'constructor']) {
      await page.evaluate((id) => (location.hash = `#x=1&z=1&zoom=0&layer=${id}`), layer);
      await soon(() => expect(address(page).get('layer')).toBe('surface'));
    }
  });

  test('says block, chunk and region under the pointer', async () => {
    const page = await visit('#x=0&z=0&zoom=0');
    await page.locator('[data-test=block]').waitFor();
    await page.mouse.move(k_middle.x - 10, k_middle.y - 33);
    await soon(async () => expect((await page.getByRole('region', { name: 'Position' }).innerText()).replace(/\s+/g, ' ')).toContain('x -10 z -33 chunk -1, -2 region -1.-1'));
  });

  test('changes the layer by number keys and by the list', async () => {
    const page = await visit(spot(4));
    await expectPixel(page, pixelOf('surface', k_spot.x, k_spot.z));
    await page.keyboard.press('3'); // caves, which this map has not
    await page.keyboard.press('4');
    await expectPixel(page, pixelOf('height', k_spot.x, k_spot.z));
    expect(await page.getByRole('radio', { name: 'Height' }).isChecked()).toBe(true);
    await page.getByText('Surface', { exact: true }).click();
    await expectPixel(page, pixelOf('surface', k_spot.x, k_spot.z));
  });

  test('keys of the map work after a click on a layer', async () => {
    const page = await visit(spot(4));
    await page.getByText('Slice', { exact: true }).click();
    await soon(() => expect(address(page).get('y')).toBeTruthy());
    await page.keyboard.press('PageDown');
    await soon(() => expect(address(page).get('y')).toBe('64'));
    await page.keyboard.press('PageUp');
    await soon(() => expect(address(page).get('y')).toBe('90'));
    await page.keyboard.press('ArrowRight');
    await soon(() => expect(place(page).x).toBeGreaterThan(k_spot.x + 1));
    expect(address(page).get('layer')).toBe('slice');
    await page.keyboard.press('g');
    await soon(async () => expect(await page.getByRole('checkbox', { name: 'Chunks and regions' }).isChecked()).toBe(true));
    await page.getByRole('radio', { name: 'Slice' }).focus();
    await page.keyboard.press('1');
    await soon(() => expect(address(page).get('layer')).toBe('surface'));
  });

  test('the slider moves through the heights that were exported', async () => {
    const page = await visit(spot(4, '&layer=slice&y=64'));
    await expectPixel(page, pixelOf('slice@64', k_spot.x, k_spot.z));
    const slider = page.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await expectPixel(page, pixelOf('slice@90', k_spot.x, k_spot.z));
    await soon(() => expect(address(page).get('y')).toBe('90'));
    await page.getByRole('button', { name: 'Lower' }).click();
    await expectPixel(page, pixelOf('slice@64', k_spot.x, k_spot.z));
  });

  test('a click on a chest lists what is inside and says what a server would know', async () => {
    const page = await visit('#x=12.5&z=-19.5&zoom=5');
    await page.keyboard.press('c');
    await soon(async () => expect(await page.getByRole('checkbox', { name: 'Containers' }).isEnabled()).toBe(true));
    await page.mouse.click(k_middle.x, k_middle.y);
    const panel = page.getByRole('region', { name: 'Block' });
    await panel.getByText('Furniture Village Chest Small').waitFor();
    const text = (await panel.innerText()).replace(/\s+/g, ' ');
    expect(text).toContain('3 Ingredient Bar Gold 2 Potion Health 1 Weapon Sword Iron');
    expect(text).toContain(`12, ${heightAt(12, -20) + 1}, -20`);
    expect(text).toContain('orbis up');
    await page.keyboard.press('Escape');
    await soon(async () => expect(await panel.count()).toBe(0));
  });

  test('search by keyboard: type, choose, fly', async () => {
    const page = await visit('');
    await page.locator('[data-test=block]').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('bar gold');
    await page.locator('[role=option]').first().waitFor();
    await soon(async () => expect(await page.getByRole('region', { name: 'Search' }).getByRole('status').innerText()).toContain('1 result'));
    await page.keyboard.press('Enter');
    await soon(() => expect(place(page)).toEqual({ x: 12, z: -20, zoom: 4 }));
    await page.getByRole('region', { name: 'Block' }).getByText('Ingredient Bar Gold').waitFor();
  });

  test('search finds blocks, entities and markers, and many of them', async () => {
    const page = await visit('');
    const field = page.getByRole('combobox', { name: /Search/ });
    for (const [text, expected] of [
      ['old mine', 'Old mine'],
      ['ore gold', '31 in chunk 13,-7'],
      ['farmer pell', 'Kweebec Sapling'],
    ] as const) {
      await field.fill(text);
      await soon(async () => expect(await page.locator('#hits').innerText()).toContain(expected));
    }
    await field.fill('potato');
    await soon(async () => expect(await page.getByRole('region', { name: 'Search' }).getByRole('status').innerText()).toContain('1,999 results'));
    await field.fill('nothing like this');
    await soon(async () => expect(await page.getByRole('region', { name: 'Search' }).getByRole('status').innerText()).toContain('Nothing matches'));
  });

  test('a block that is somewhere in a chunk marks the chunk and opens no block', async () => {
    const page = await visit('');
    await page.getByRole('combobox', { name: /Search/ }).fill('mod glowing');
    await page.getByText('4 in chunk 2,2').click();
    await page.getByRole('region', { name: 'Chunk' }).getByText('Somewhere in this chunk (2, 2), at any height.').waitFor();
    await soon(() => expect(place(page)).toMatchObject({ x: 2 * 32 + 16, z: 2 * 32 + 16 }));
    expect(await page.getByRole('region', { name: 'Block' }).count()).toBe(0);
    expect(address(page).get('at')).toBeNull();
    // Its frame, at the zoom of 2.5 that shows a chunk as 181 pixels.
    await expectPixel(page, [255, 255, 255], k_middle.x - 91, k_middle.y);
  });

  test('a block of a search is a pin on the block itself', async () => {
    const page = await visit('');
    await page.getByRole('combobox', { name: /Search/ }).fill('ore gold');
    await page.getByText('31 in chunk 13,-7').click();
    const panel = page.getByRole('region', { name: 'Block' });
    await panel.getByRole('heading', { name: 'Ore Gold Stone' }).waitFor();
    await panel.getByText('425, 30, -220').waitFor();
    await soon(() => expect(address(page).get('at')).toBe('425,30,-220'));
    await soon(() => expect(place(page)).toMatchObject({ x: 425, z: -220 }));
    // Its pin: the tip is in the middle of the block, 16 pixels wide.
    await expectPixel(page, [194, 24, 91], k_middle.x + 8 + 8, k_middle.y + 8 - 24);
  });

  test('an underground block is shown by the slice above it', async () => {
    const page = await visit(spot(4, '&at=425,70,-220'));
    await page.getByRole('button', { name: 'Show the slice at y 90' }).click();
    await soon(() => expect(address(page).get('layer')).toBe('slice'));
    expect(address(page).get('y')).toBe('90');
    expect(await page.getByRole('button', { name: /Show the slice/ }).count()).toBe(0);
  });

  test('coordinates in the search field are a place to go to', async () => {
    const page = await visit('');
    await page.locator('[data-test=block]').waitFor();
    const field = page.getByRole('combobox', { name: /Search/ });
    await field.fill('120 64 -33');
    await page.getByText('Coordinates: press Enter to go there.').waitFor();
    await field.press('Enter');
    await soon(() => expect(address(page).get('at')).toBe('120,64,-33'));
    await soon(() => expect(place(page)).toMatchObject({ x: 120, z: -33, zoom: 4 }));
    await expectPixel(page, [194, 24, 91], k_middle.x + 16, k_middle.y + 8 - 24);
    await field.fill('x=-300 z=9');
    await page.getByRole('option').getByText('-300, 9').waitFor();
    await field.press('Enter');
    await soon(() => expect(address(page).get('at')).toBe('-300,9'));
    await field.fill('chunk 3 -4');
    await page.getByText('The middle of chunk 3, -4').waitFor();
    await field.press('Enter');
    await soon(() => expect(place(page)).toMatchObject({ x: 112, z: -112 }));
    expect(address(page).get('at')).toBeNull();
  });

  test('a link to a height that this map has not shows the nearest and says so', async () => {
    const page = await visit(spot(4, '&layer=slice&y=57'));
    await page.getByText('This map has no slice at y 57; y 64 is the nearest.').waitFor();
    await expectPixel(page, pixelOf('slice@64', k_spot.x, k_spot.z));
    await page.keyboard.press('1');
    await soon(async () => expect(await page.getByText('This map has no slice').count()).toBe(0));
    await page.evaluate(() => (location.hash = '#x=1&z=1&zoom=0&layer=cave&y=40'));
    await page.getByText('This map has no layer “Caves”, so you see the surface instead.').waitFor();
  });

  test('a place far from the world says so and leads back', async () => {
    const page = await visit('#x=90000&z=-70000&zoom=2');
    await page.getByText('You are outside the world.').waitFor();
    await page.getByRole('button', { name: 'Back to the world' }).click();
    await soon(() => expect(Math.abs(place(page).x)).toBeLessThan(1000));
    await soon(async () => expect(await page.getByText('You are outside the world.').count()).toBe(0));
  });

  test('what is switched on stays on', async () => {
    const page = await visit('');
    const containers = page.getByRole('checkbox', { name: 'Containers' });
    await soon(async () => expect(await containers.isEnabled()).toBe(true));
    await page.keyboard.press('c');
    await page.keyboard.press('m');
    await soon(async () => expect(await containers.isChecked()).toBe(true));
    await page.reload();
    await soon(async () => expect(await containers.isChecked()).toBe(true));
    expect(await page.getByRole('checkbox', { name: 'Spawn and markers' }).isChecked()).toBe(false);
  });

  test('a chunk that cannot be read is hatched, and says what to do', async () => {
    const page = await visit(`#x=${k_broken[0] * 32 + 16}&z=${k_broken[1] * 32 + 16}&zoom=2`);
    await soon(async () => {
      const colours = new Set<string>();
      for (let i = 0; i < 8; ++i) colours.add(String(await pixel(page, k_middle.x + i, k_middle.y)));
      expect(colours).toContain('110,37,48');
      expect(colours.size).toBeGreaterThan(1);
    });
    await page.mouse.click(k_middle.x, k_middle.y);
    const panel = page.getByRole('region', { name: 'Block' });
    await panel.getByRole('heading', { name: 'Unreadable chunk' }).waitFor();
    expect(await panel.innerText()).toContain('the frame is broken');
    await panel.getByRole('code').filter({ hasText: /^orbis verify WORLD$/ }).waitFor();
    // Its values mean nothing.
    expect(await panel.innerText()).not.toMatch(/Stored bytes|Entities/);
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Legend' }).getByRole('button', { name: 'Cannot be read' }).click();
    await page.getByRole('region', { name: 'World' }).getByText('1 chunk that cannot be read').waitFor();
  });

  test('findings of an export are coloured by how bad they are, and the world has a list', async () => {
    const page = await visit('#x=80&z=112&zoom=2&layer=inspect:findings');
    const legend = page.getByRole('region', { name: 'Legend' });
    await soon(async () => expect(await legend.innerText()).toMatch(/Notes\s+Damage/));
    const [red, , blue] = await pixel(page, k_middle.x - 32 * 4, k_middle.y + 20);
    expect(red - blue).toBeGreaterThan(70);
    const notes = await pixel(page, k_middle.x + 20, k_middle.y + 20);
    expect(notes[2]).toBeGreaterThan(notes[0]);
    const world = page.getByRole('region', { name: 'World' });
    await world.getByText('config.missing').waitFor();
    const text = (await world.innerText()).replace(/\s+/g, ' ');
    expect(text).toContain('The world has no config.json.');
    expect(text).toContain('orbis repair WORLD --from BACKUP');
    await world.getByRole('listitem').filter({ hasText: 'component.unreadable' }).getByRole('button', { name: '1 chunk' }).click();
    await soon(() => expect(place(page)).toMatchObject({ x: 48, z: 112 }));
    await page.mouse.click(k_middle.x, k_middle.y);
    await page.getByRole('region', { name: 'Block' }).getByText('component.unreadable').waitFor();
  });

  test('fluids are in the legend with their colours', async () => {
    const page = await visit('');
    const legend = page.getByRole('region', { name: 'Legend' });
    await soon(async () => expect((await legend.innerText()).replace(/\s+/g, ' ')).toContain('Fluids Water Source 733,120'));
    expect(await legend.locator('[title="#4a80b0, #3a90a0"]').evaluate((each) => getComputedStyle(each).backgroundImage)).toContain('rgb(74, 128, 176)');
  });

  test('results and the panel of a block share the side', async () => {
    const page = await visit('', { viewport: { width: 1280, height: 800 } });
    await page.getByRole('combobox', { name: /Search/ }).fill('potato');
    await page.locator('#hits [role=option]').first().click();
    await page.getByRole('region', { name: 'Block' }).waitFor();
    expect((await page.locator('#hits').boundingBox())!.height).toBeGreaterThan(150);
    expect((await page.getByRole('region', { name: 'Block' }).boundingBox())!.height).toBeGreaterThan(200);
  });

  test('results are pins on the map', async () => {
    const page = await visit('#x=12.5&z=-19.5&zoom=2');
    await page.locator('[data-test=block]').waitFor();
    await page.getByRole('combobox', { name: /Search/ }).fill('bar gold');
    await expectPixel(page, [194, 24, 91], k_middle.x + 8, k_middle.y - 24);
  });

  test('values per chunk with legend and tooltip', async () => {
    const page = await visit(spot(0, '&layer=inspect:bytes'));
    await page.mouse.move(700, 500);
    await page.getByRole('tooltip').getByText(/Stored bytes: .* KiB/).waitFor();
    expect(await page.getByRole('complementary', { name: 'Layers' }).innerText()).toContain('logarithmic');
    await page.getByText('Data version', { exact: true }).click();
    await page.getByRole('tooltip').getByText(/Data version: 1[01]/).waitFor({ state: 'detached' }).catch(() => undefined);
    await soon(async () => expect(await page.getByRole('region', { name: 'Legend' }).innerText()).toMatch(/10\s+11/));
  });

  test('another world, with a name that must be encoded', async () => {
    const page = await visit('');
    await page.getByRole('combobox', { name: 'World' }).selectOption({ label: 'Tower 100%' });
    await soon(() => expect(address(page).get('world')).toBe('Tower 100%'));
    await page.evaluate(() => (location.hash = '#world=Tower 100%25&x=-399.5&z=-399.5&zoom=4'));
    await expectPixel(page, pixelOf('surface', -400, -400));
  });

  test('guessed colours are marked in the legend', async () => {
    const page = await visit('');
    const legend = page.getByRole('region', { name: 'Legend' });
    await soon(async () => expect((await legend.innerText()).replace(/\s+/g, ' ')).toContain('Mod Glowing Thing guessed 4'));
  });

  test('light and dark: as the system wants, and by the switch', async () => {
    const page = await visit('', { colorScheme: 'dark' });
    const background = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await soon(async () => expect(await background()).toBe('rgb(13, 17, 21)'));
    await page.getByRole('button', { name: 'Colours: Same as system' }).click();
    await soon(async () => expect(await background()).toBe('rgb(223, 228, 232)'));
    await page.getByRole('button', { name: 'Colours: Light' }).click();
    await soon(async () => expect(await background()).toBe('rgb(13, 17, 21)'));
    await page.getByRole('button', { name: 'Colours: Dark' }).waitFor();
  });

  test('every control has a name, and the map can be reached by keyboard', async () => {
    const page = await visit('#x=12&z=-20&zoom=4&layer=slice&at=12,113,-20');
    await page.getByRole('region', { name: 'Block' }).waitFor();
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll('button, input, select, [role=slider]')]
        .filter((each) => !each.getAttribute('aria-label') && !each.textContent?.trim() && !each.closest('label'))
        .map((each) => each.outerHTML),
    );
    expect(nameless).toEqual([]);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('application');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await soon(async () => expect(await page.getByRole('dialog').count()).toBe(0));
  });

  test('a phone: touch, sheets instead of panels', async () => {
    const page = await visit('#x=12.5&z=-19.5&zoom=5', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await page.locator('[data-test=block]').waitFor();
    await page.touchscreen.tap(195, 422);
    const panel = page.getByRole('region', { name: 'Block' });
    await panel.getByText('Ingredient Bar Gold').waitFor();
    // The map moves up, so that the sheet does not cover what was tapped.
    await soon(() => expect(place(page).z).toBeGreaterThan(-15));
    const box = await panel.boundingBox();
    expect(Math.round(box!.x + box!.width)).toBe(390);
    expect(Math.round(box!.y + box!.height)).toBe(844);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    // Without the sheet the map is where it was.
    await panel.getByRole('button', { name: 'Close' }).tap();
    await soon(() => expect(place(page).z).toBeCloseTo(-19.5, 0));
    await page.touchscreen.tap(195, 422);
    await panel.waitFor();
    // Results or a block: one at a time.
    await page.getByRole('combobox', { name: /Search/ }).fill('bar gold');
    await page.getByRole('option').first().waitFor();
    expect(await panel.count()).toBe(0);
    await page.getByRole('option').first().tap();
    await panel.waitFor();
    expect(await page.locator('#hits').isVisible()).toBe(false);
    await panel.getByRole('button', { name: 'Close' }).tap();
    await page.locator('#hits').waitFor();
  });
});

describe('an honest page', () => {
  test('without a map beside it', async () => {
    const page = await visit('', {}, index(inject('page')));
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toContain('There is no map here yet');
    expect(await alert.innerText()).toContain('orbis map');
  });

  test('with a world without chunks', async () => {
    const page = await visit('#world=empty');
    await page.getByRole('alert').getByText('This world has no chunks yet').waitFor();
    await page.getByRole('combobox', { name: 'World' }).selectOption('default');
    await soon(async () => expect(await page.getByRole('alert').count()).toBe(0));
  });

  test('with a world of which nothing can be read', async () => {
    const folder = join(inject('work'), 'noise');
    cpSync(inject('exported'), folder, { recursive: true });
    const world = join(folder, 'worlds/empty');
    const text = readFileSync(join(world, 'world.js'), 'utf8');
    writeFileSync(join(world, 'world.js'), text.replace(/"inspect":\s*(null|\{[^}]*\})/, '"inspect":{"file":"noise"}'));
    mkdirSync(join(world, 'inspect'), { recursive: true });
    const problems = [{ file: '0.0.region.bin', message: 'expected a region file, found noise', advice: 'restore it from a backup' }];
    writeFileSync(join(world, 'inspect/noise.js'), `orbis("inspect/noise",${JSON.stringify({ layers: [], x: [], z: [], values: {}, problems })});`);
    const page = await visit('#world=empty', {}, index(folder));
    const alert = page.getByRole('alert');
    await alert.getByText('0.0.region.bin: Expected a region file, found noise.').waitFor();
    await alert.getByText('Restore it from a backup.').waitFor();
    expect(await page.getByText('no chunks yet').count()).toBe(0);
  });

  test('with a world that is not here', async () => {
    const page = await visit('#world=nosuch');
    await page.getByText('There is no world “nosuch” here; this is “default”.').waitFor();
    await page.getByRole('combobox', { name: 'World' }).selectOption('empty');
    await soon(async () => expect(await page.getByText('nosuch').count()).toBe(0));
  });

  test('with numbers that are not known', async () => {
    const folder = join(inject('work'), 'unread');
    cpSync(inject('exported'), folder, { recursive: true });
    rmSync(join(folder, 'worlds/default/facts'), { recursive: true });
    const page = await visit('', {}, index(folder));
    const containers = page.locator('label.choice', { hasText: 'Containers' });
    await soon(async () => expect((await containers.innerText()).replace(/\s+/g, ' ')).toBe('Containers …'));
  });

  test('with tiles that are gone', async () => {
    const folder = join(inject('work'), 'torn');
    cpSync(inject('exported'), folder, { recursive: true });
    const tiles = join(folder, 'worlds/default/tiles/surface/0');
    for (const name of readdirSync(tiles)) rmSync(join(tiles, name));
    const page = await visit(spot(4), {}, index(folder));
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/tiles? could not be read[\s\S]*orbis map/);
  });

  test('with a world whose index is gone', async () => {
    const folder = join(inject('work'), 'torn-index');
    cpSync(inject('exported'), folder, { recursive: true });
    rmSync(join(folder, 'worlds/default/world.js'));
    const page = await visit('', {}, index(folder));
    await page.getByRole('alert').getByText(/world.js is missing or damaged/).waitFor();
  });
});
