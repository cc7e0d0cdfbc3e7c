import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { address, k_middle, launch, open, type Opened, pixel, soon } from './browser.ts';
import { block, ground, madeMesh, type Material, type Tint } from './made_mesh.ts';
import { heightAt, pixelOf } from './made_world.ts';
import { type Mock, mockServer } from './mock_server.ts';

let browser: Browser;
let mock: Mock;
let opened: Opened;

beforeAll(async () => {
  browser = await launch(true);
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

const k_soil: Material = { base: [120, 90, 60] };
const k_stone: Material = { base: [200, 100, 50], particle: [128, 255, 204] };
const k_leaf: Material = { base: [100, 100, 100], percent: 50 };
const k_water: Material = { base: [40, 80, 200], alpha: 153 };
const k_y = 60;
/// Looks straight down on the middle of chunk 3, 2.
const k_down = '#x=112.5&z=80.5&zoom=3&eye=0,90,40,61&hour=12';
const k_home = '3.2';

/// Puts ground of soil around a chunk, whose mesh is another one.
function surround(file: Uint8Array | 'broken', name = k_home): void {
  const [cx = 0, cz = 0] = name.split('.').map(Number);
  for (let z = -3; z <= 3; ++z) for (let x = -3; x <= 3; ++x) mock.meshes.set(`${cx + x}.${cz + z}`, madeMesh([k_soil], [ground(k_y, 0)]));
  mock.meshes.set(name, file);
}

async function visit(hash: string): Promise<Page> {
  opened = await open(browser, mock.address + hash);
  await opened.page.locator('[data-test=space][data-state=on]').waitFor();
  return opened.page;
}

/// A colour within what rounding on the graphics card may change.
async function expectColour(page: Page, colour: readonly number[], x = k_middle.x, y = k_middle.y): Promise<void> {
  await soon(async () => {
    const found = await pixel(page, x, y);
    for (let i = 0; i < 3; ++i) expect(Math.abs(found[i]! - colour[i]!), `${found.join()} for ${colour.join()}`).toBeLessThanOrEqual(1);
  });
}

const k_sky = [0.66, 0.8, 0.93].map((part) => part * 255);
const stats = (page: Page): Promise<string> => page.locator('[data-test=stats]').innerText();

describe('three dimensions', () => {
  test('a key turns the map into the same place and back', async () => {
    surround(madeMesh([k_stone], [ground(k_y, 0)]));
    opened = await open(browser, `${mock.address}#x=112.5&z=80.5&zoom=3`);
    const { page, requests } = opened;
    await page.locator('[data-test=block]').waitFor();
    await soon(async () => expect(await pixel(page)).toEqual(pixelOf('surface', 112, 80).slice(0, 3)));
    expect(requests.some((each) => each.includes('/viewer/')), 'nobody wanted it yet').toBe(false);
    await page.keyboard.press('v');
    await page.locator('[data-test=space][data-state=on]').waitFor();
    expect(requests.filter((each) => /\/viewer\/main-[\w-]+\.js$/.test(each))).toHaveLength(1);
    await soon(() => expect(address(page).get('eye')).toBe(`0,38,107.2,${heightAt(112, 80)}`));
    expect([address(page).get('x'), address(page).get('z')]).toEqual(['112.5', '80.5']);
    await page.keyboard.press('v');
    await page.locator('[data-test=space]').waitFor({ state: 'detached' });
    await soon(async () => expect(await pixel(page)).toEqual(pixelOf('surface', 112, 80).slice(0, 3)));
    await soon(() => expect(address(page).get('eye')).toBeNull());
    expect([address(page).get('x'), address(page).get('z'), address(page).get('zoom')]).toEqual(['112.5', '80.5', '3']);
    await page.getByRole('button', { name: 'Three dimensions' }).click();
    await page.locator('[data-test=space][data-state=on]').waitFor();
    await page.getByRole('button', { name: 'Three dimensions' }).click();
    await page.locator('[data-test=space]').waitFor({ state: 'detached' });
  });

  test('from above at noon colours are those of the map before its shade', async () => {
    const tint: Tint = (x, z) => [x * 8, 200, z * 8];
    surround(madeMesh([k_stone, k_leaf], [{ ...ground(k_y, 0), height: 16 }, { ...ground(k_y, 1), z: 16, height: 16 }], tint));
    const page = await visit(k_down);
    // A block of the middle is 800 / (2 · 39 · tan 25°) pixels wide: the ground is at 61, where the eye looks.
    const side = 800 / (2 * 40 * Math.tan((25 * Math.PI) / 180));
    await expectColour(page, [100 * 0.5 + 0.5 * 128, 150, 50 + 0.5 * 128]);
    await expectColour(page, [50 + 0.5 * 136, 150, 50 + 0.5 * 128], k_middle.x + side, k_middle.y);
    await expectColour(page, [50 + 0.5 * 128, 150, 50 + 0.5 * 136], k_middle.x, k_middle.y + side);
    await expectColour(page, [200 * (128 / 255), 100, 50 * (204 / 255)], k_middle.x, k_middle.y - side);
  });

  test('walls are in the light of the hour', async () => {
    const faces = [ground(k_y, 0), ...block(16, k_y + 1, 16, 1)];
    surround(madeMesh([k_soil, k_leaf], faces, () => [100, 100, 100]));
    const sun = (hour: number): [number, number, number] => {
      const angle = ((hour - 6) / 12) * Math.PI;
      const length = Math.hypot(Math.cos(angle), Math.sin(angle), 0.35);
      return [Math.cos(angle) / length, Math.sin(angle) / length, 0.35 / length];
    };
    const lit = (high: number, face: number): number[] => [1, 1, 1].map(() => 100 * (0.55 + 0.45 * Math.min(1, Math.max(0, high) / 0.943)) * face);
    const page = await visit('#x=112.5&z=80.5&zoom=3&eye=0,3,12,61.5&hour=12');
    await expectColour(page, lit(sun(12)[2], 0.88)); // from the south
    for (const [yaw, high] of [[90, -sun(15)[0]], [270, sun(15)[0]], [180, -sun(15)[2]]] as const) {
      await page.evaluate((to) => (location.hash = `#x=112.5&z=80.5&zoom=3&eye=${to},3,12,61.5&hour=15`), yaw);
      await expectColour(page, lit(high, yaw === 180 ? 0.88 : 0.78));
    }
  });

  test('water is seen through, and plants are narrow', async () => {
    surround(madeMesh([k_soil, k_leaf, k_water], [ground(k_y, 0), { x: 18, y: k_y + 1, z: 16, face: 6, shape: 2, material: 1 }, { x: 16, y: k_y, z: 16, face: 0, shape: 3, material: 2 }, { x: 15, y: k_y + 1, z: 16, face: 0, material: 2 }], () => [100, 100, 100]));
    const page = await visit(k_down);
    const over = k_water.base.map((part, i) => part * 0.6 + k_soil.base[i]! * 0.4);
    const side = 800 / (2 * 40 * Math.tan((25 * Math.PI) / 180));
    await expectColour(page, k_soil.base); // the water is below the ground here
    await expectColour(page, over, k_middle.x - side, k_middle.y);
    await expectColour(page, [100, 100, 100], k_middle.x + 2 * side, k_middle.y);
    await expectColour(page, k_soil.base, k_middle.x + 2 * side, k_middle.y + side * 0.45);
  });

  test('lamps light the night', async () => {
    surround(madeMesh([k_soil], [{ ...ground(k_y, 0), height: 16 }, { ...ground(k_y, 0), z: 16, height: 16, light: [15, 5, 0] }]));
    const page = await visit(k_down.replace('hour=12', 'hour=0'));
    const side = 800 / (2 * 40 * Math.tan((25 * Math.PI) / 180));
    const night = [0.15, 0.16, 0.24];
    await expectColour(page, k_soil.base.map((part, i) => part * Math.min(1, night[i]! + ([15, 5, 0][i]! / 15) * 0.85)));
    await expectColour(page, k_soil.base.map((part, i) => part * night[i]!), k_middle.x, k_middle.y - side);
    const slider = page.getByRole('slider', { name: 'Time of day' });
    await slider.fill('12');
    await expectColour(page, k_soil.base);
    expect(await slider.getAttribute('aria-valuetext')).toBe('12:00');
    await soon(() => expect(address(page).get('hour')).toBe('12'));
  });

  test('a click names the block as the map does', async () => {
    surround(madeMesh([k_soil, k_stone], [ground(k_y, 0), ...block(16, k_y + 1, 16, 1)]));
    const page = await visit(k_down);
    await expectColour(page, [100.4, 100, 40]);
    await page.mouse.click(k_middle.x, k_middle.y);
    const panel = page.getByRole('region', { name: 'Block' });
    await panel.getByText(`112, ${k_y + 1}, 80`).waitFor();
    await soon(() => expect(address(page).get('at')).toBe(`112,${k_y + 1},80`));
    await page.mouse.click(k_middle.x + 100, k_middle.y);
    await panel.getByText(`117, ${k_y}, 80`).waitFor();
    await page.keyboard.press('Escape');
    await soon(async () => expect(await panel.count()).toBe(0));
    expect(address(page).has('eye')).toBe(true);
  });

  test('a changed chunk comes again, and only that', async () => {
    surround(madeMesh([k_stone], [ground(k_y, 0)]));
    const page = await visit(k_down);
    await expectColour(page, [100.4, 100, 40]);
    await page.keyboard.press('F3');
    await soon(async () => expect(await stats(page)).not.toContain('to come'));
    const before = mock.askedMeshes.length;
    mock.meshes.set(k_home, madeMesh([k_soil], [ground(k_y, 0)]));
    mock.send('chunks', { world: 'default', chunks: [[3, 2]] });
    await expectColour(page, k_soil.base);
    await soon(() => expect(mock.askedMeshes.slice(before).sort()).toEqual(['2.1', '2.2', '2.3', '3.1', '3.2', '3.3', '4.1', '4.2', '4.3']));
    mock.meshes.delete(k_home);
    mock.send('chunks', { world: 'default', chunks: [[3, 2]] });
    await expectColour(page, k_sky);
    mock.send('chunks', { world: 'another', chunks: [[3, 2]] });
  });

  test('without a list all chunks come again', async () => {
    surround(madeMesh([k_stone], [ground(k_y, 0)]));
    const page = await visit(k_down);
    await page.keyboard.press('F3');
    for (const event of [{ world: 'default' }, { world: 'default', chunks: null }]) {
      await soon(async () => expect(await stats(page)).not.toContain('to come'));
      const all = new Set(mock.askedMeshes);
      const before = mock.askedMeshes.length;
      mock.send('chunks', event);
      await soon(() => expect(new Set(mock.askedMeshes.slice(before))).toEqual(all));
    }
  });

  test('a chunk that cannot be read is red glass, and one that is not there is sky', async () => {
    surround('broken');
    const page = await visit(k_down.replace('40,61', '40,128'));
    const glass = [214, 40, 57].map((part, i) => (part * 110 + k_sky[i]! * 145) / 255);
    await expectColour(page, glass);
    await page.keyboard.press('F3');
    await soon(async () => expect(await stats(page)).toMatch(/Unreadable\s+1/));
    await page.evaluate(() => (location.hash = '#x=-300.5&z=-300.5&zoom=3&eye=0,90,40,61&hour=12'));
    await expectColour(page, k_sky);
  });

  test('planes cut the world open', async () => {
    surround(madeMesh([k_soil], [ground(k_y, 0)]));
    const page = await visit(k_down);
    await expectColour(page, k_soil.base);
    await page.getByRole('button', { name: 'Cut', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Height' }).check();
    await soon(() => expect(mock.askedMeshes.at(-1)).toMatch(/\?box=-2147483648,-2147483648,-2147483648,2147483647,61,2147483647$/));
    await page.getByRole('slider', { name: 'Height of the cut' }).fill('30');
    await soon(() => expect(mock.askedMeshes.some((each) => each.startsWith('3.2?box=') && each.endsWith(',2147483647,30,2147483647'))).toBe(true));
    await soon(() => expect(address(page).get('cut')).toBe(',,,,30,'));
    await page.getByRole('checkbox', { name: 'Z' }).check();
    await soon(() => expect(address(page).get('cut')).toBe(',,,,30,80'));
    await page.getByRole('button', { name: /south is cut off/ }).click();
    await soon(() => expect(address(page).get('cut')).toBe(',,80,,30,'));
    await page.getByRole('checkbox', { name: 'Height' }).uncheck();
    await page.getByRole('checkbox', { name: 'Z' }).uncheck();
    await soon(() => expect(address(page).has('cut')).toBe(false));
  });

  test('keys move, turn and tilt', async () => {
    surround(madeMesh([k_soil], [ground(k_y, 0)]));
    const page = await visit('#x=112.5&z=80.5&zoom=3&eye=90,45,40,61&hour=12');
    const eye = (): number[] => (address(page).get('eye') ?? '').split(',').map(Number);
    await page.keyboard.press('End');
    await soon(() => expect(eye()[0]).toBe(100));
    await page.keyboard.press('Home');
    await page.keyboard.press('PageUp');
    await soon(() => expect(eye().slice(0, 2)).toEqual([90, 40]));
    await page.keyboard.press('+');
    await soon(() => expect(eye()[2]).toBe(20));
    // The address follows when the view stands still.
    const place = page.getByLabel('Place', { exact: true });
    const placeNow = async (): Promise<number[]> => (await place.innerText()).split(', ').map(Number);
    await page.keyboard.down('w');
    await soon(async () => expect((await placeNow())[0]).toBeGreaterThan(113));
    await page.keyboard.up('w');
    await soon(() => expect(Number(address(page).get('x'))).toBeGreaterThan(113));
    expect(address(page).get('z'), 'to the east').toBe('80.5');
    const from = await place.innerText();
    await page.keyboard.down('w');
    await soon(async () => expect(await place.innerText()).not.toBe(from));
    await page.keyboard.down('Alt');
    await soon(async () => {
      const before = await place.innerText();
      await page.waitForTimeout(500);
      expect(await place.innerText(), 'Alt ends what keys do').toBe(before);
    });
    await page.keyboard.up('w');
    await page.keyboard.up('Alt');
    await page.keyboard.press('b');
    await soon(() => expect(address(page).get('fly')).toBe('1'));
    const [, , , high = 0] = eye();
    await page.keyboard.down('r');
    await soon(async () => expect((await placeNow())[1]).toBeGreaterThan(high + 1));
    await page.keyboard.up('r');
    await soon(() => expect(eye()[3]).toBeGreaterThan(high + 1));
    expect(await page.locator('[data-test=space]').getAttribute('aria-label')).toContain('three dimensions');
  });

  test('the pointer turns and comes nearer', async () => {
    surround(madeMesh([k_soil], [ground(k_y, 0)]));
    const page = await visit('#x=112.5&z=80.5&zoom=3&eye=90,45,40,61&hour=12');
    await page.mouse.move(500, 400);
    await page.mouse.down();
    await page.mouse.move(520, 400);
    await page.mouse.move(600, 450);
    await page.mouse.up();
    await soon(() => expect(address(page).get('eye')).toBe(`${90 - 100 * 0.28},${45 + 50 * 0.28},40,61`));
    expect(await page.getByRole('region', { name: 'Block' }).count(), 'a turn is no click').toBe(0);
    await page.mouse.wheel(0, -100);
    await soon(() => expect(address(page).get('eye')).toBe(`62,59,${(40 * Math.exp(-0.18)).toFixed(1)},61`));
    await page.keyboard.down('Shift');
    await page.mouse.down();
    await page.mouse.move(600, 460);
    await page.mouse.move(600, 500);
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await soon(() => expect(Number(address(page).get('x')), 'the ground follows').toBeGreaterThan(113));
  });

  test('pins and names stand where they are', async () => {
    surround(madeMesh([k_soil], [ground(k_y, 0)]), '0.0');
    const y = heightAt(0, 0) + 1;
    const page = await visit(`#x=0.5&z=0.5&zoom=3&eye=0,90,60,${y}&hour=12`);
    // The tip of the pin of the spawn is where the eye looks; its head is above.
    await soon(async () => expect(await pixel(page, k_middle.x - 9, k_middle.y - 20)).toEqual([0x1f, 0x6f, 0xb2]));
    await page.mouse.move(k_middle.x, k_middle.y - 20);
    await page.getByRole('tooltip').getByText('Spawn').waitFor();
    await page.mouse.click(k_middle.x, k_middle.y - 20);
    await soon(() => expect(address(page).get('at')).toBe(`0,${y},0`));
    await page.keyboard.press('m');
    await soon(async () => expect(await pixel(page, k_middle.x - 9, k_middle.y - 20)).not.toEqual([0x1f, 0x6f, 0xb2]));
  });

  test('what is too far away now is cancelled', async () => {
    for (let z = -2; z < 7; ++z) for (let x = -2; x < 9; ++x) mock.meshes.set(`${x}.${z}`, 'late');
    const page = await visit(k_down);
    await soon(() => expect(mock.askedMeshes).toHaveLength(4));
    const held = [...mock.askedMeshes];
    expect(held[0]).toBe(k_home);
    await page.evaluate(() => (location.hash = '#x=900.5&z=-300.5&zoom=3&eye=0,90,40,61&hour=12'));
    await soon(() => expect(mock.cancelled.sort()).toEqual(held.sort()));
    await soon(() => expect(mock.askedMeshes.length).toBeGreaterThan(20));
  });

  test('F3 shows what is drawn', async () => {
    surround(madeMesh([k_soil], [ground(k_y, 0)]));
    const page = await visit(k_down);
    await page.keyboard.press('F3');
    await soon(async () => expect(await stats(page)).toMatch(/Frame time\s+[\d.]+ ms\s+Triangles\s+[\d,]+\s+Chunks\s+\d+\s+Memory\s+[\d.]+ MiB/));
    await soon(async () => expect(await stats(page)).not.toContain('to come'));
    // Nine chunks are in sight, with one rectangle each; some beside them may be, for all that is known before they are drawn.
    await soon(async () => {
      const triangles = Number(/Triangles\s+(\d+)/.exec(await stats(page))?.[1]);
      expect(triangles).toBeGreaterThanOrEqual(18);
      expect(triangles).toBeLessThanOrEqual(2 * 49);
    });
    await page.keyboard.press('F3');
    await page.locator('[data-test=stats]').waitFor({ state: 'detached' });
  });

  test('an address of another place or world leads there', async () => {
    surround(madeMesh([k_stone], [ground(k_y, 0)]));
    const page = await visit(k_down);
    const follow = (hash: string): Promise<void> => page.evaluate((to) => void (location.hash = to), hash);
    const expectMap = async (world: string, x: number, z: number): Promise<void> => {
      await page.locator('[data-test=space]').waitFor({ state: 'detached' });
      await soon(async () => expect(await pixel(page)).toEqual(pixelOf('surface', x, z).slice(0, 3)));
      await soon(() => expect(['world', 'x', 'z', 'eye'].map((name) => address(page).get(name))).toEqual([world, `${x}.5`, `${z}.5`, null]));
    };
    const expectSpace = async (world: string, x: number, z: number): Promise<void> => {
      await page.locator('[data-test=space][data-state=on]').waitFor();
      await soon(() => expect(['world', 'x', 'z', 'eye'].map((name) => address(page).get(name))).toEqual([world, `${x}.5`, `${z}.5`, '0,90,40,61']));
    };
    const tower = 'Tower 100%';
    const eye = 'zoom=3&eye=0,90,40,61&hour=12';
    await follow(`#world=default&x=144.5&z=80.5&${eye}`);
    await expectSpace('default', 144, 80);
    await expectColour(page, k_soil.base);
    await follow('#world=default&x=240.5&z=60.5&zoom=3');
    await expectMap('default', 240, 60);
    await follow(`#world=default&x=112.5&z=80.5&${eye}`);
    await expectSpace('default', 112, 80);
    await follow(`#world=Tower%20100%25&x=144.5&z=80.5&${eye}`);
    await expectSpace(tower, 144, 80);
    await expectColour(page, k_soil.base);
    expect(opened.requests.some((each) => each.includes('/api/mesh/Tower%2520100%2525/4.2')), 'of that world').toBe(true);
    await follow('#world=default&x=240.5&z=60.5&zoom=3');
    await expectMap('default', 240, 60);
    await follow(`#world=Tower%20100%25&x=112.5&z=80.5&${eye}`);
    await expectSpace(tower, 112, 80);
    await expectColour(page, [100.4, 100, 40]);
    mock.refused = { message: 'the world is being written', advice: 'wait' };
    await follow(`#world=default&x=144.5&z=80.5&${eye}`);
    await page.locator('[data-test=space]').waitFor({ state: 'detached' });
    await page.getByRole('alert').getByText('being written').waitFor();
  });

  test('without a graphics driver it says so', async () => {
    opened = await open(browser, `${mock.address}#x=112.5&z=80.5&zoom=3`);
    const { page } = opened;
    await page.locator('[data-test=block]').waitFor();
    await page.evaluate(() => {
      const real = HTMLCanvasElement.prototype.getContext;
      Object.assign(window, { restore: () => (HTMLCanvasElement.prototype.getContext = real) });
      HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...words: unknown[]): null {
        return String(words[0]).startsWith('webgl') ? null : (real.apply(this, words as never) as null);
      } as never;
    });
    await page.keyboard.press('v');
    const alert = page.getByRole('alert').getByText('WebGL 2 is switched off');
    await alert.waitFor();
    await page.evaluate(() => (location.hash = '#x=112.5&z=80.5&zoom=3&eye=0,90,40,61'));
    await soon(() => expect(address(page).has('eye')).toBe(false)); // tried again
    await alert.waitFor();
    await page.getByRole('button', { name: 'Back to the map' }).click();
    await page.locator('[data-test=space]').waitFor({ state: 'detached' });
    await soon(async () => expect(await pixel(page)).toEqual(pixelOf('surface', 112, 80).slice(0, 3)));
    await page.keyboard.press('v');
    await alert.waitFor();
    await page.evaluate(() => (window as unknown as { restore(): void }).restore());
    await page.evaluate(() => (location.hash = '#x=144.5&z=80.5&zoom=3&eye=0,90,40,61'));
    await page.locator('[data-test=space][data-state=on]').waitFor();
  });

  test('an exported map has no button for it', async () => {
    opened = await open(browser, `file://${inject('exported')}/index.html`);
    await opened.page.locator('[data-test=block]').waitFor();
    expect(await opened.page.getByRole('button', { name: 'Three dimensions' }).count()).toBe(0);
    await opened.page.keyboard.press('v');
    expect(await opened.page.locator('[data-test=space]').count()).toBe(0);
  });
});
