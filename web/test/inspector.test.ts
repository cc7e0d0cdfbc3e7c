import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { launch, open, type Opened, soon } from './browser.ts';
import { type InspectorMock, inspectorServer } from './inspector_server.ts';

let browser: Browser;
let mock: InspectorMock;
let opened: Opened;
let page: Page;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
beforeEach(async () => {
  mock = await inspectorServer(inject('page'));
  opened = await open(browser, mock.address);
  page = opened.page;
  await page.locator('[data-number="100000"]').waitFor(); // it follows
});
afterEach(async () => {
  expect(opened.errors).toEqual([]);
  await page.context().close();
  await mock.stop();
});

const list = () => page.locator('[data-test=list]');
const row = (number: number) => page.locator(`[data-number="${number}"]`);
const scrollTo = (share: number) => list().evaluate((box, at) => (box.scrollTop = (box.scrollHeight - box.clientHeight) * at), share);

describe('the list', () => {
  test('100,000 packets are a few rows in the page, wherever it is scrolled', async () => {
    let most = 0;
    for (let i = 0; i <= 20; ++i) {
      await scrollTo(i / 20);
      await soon(async () => expect(await page.locator('[data-number]').count()).toBeGreaterThan(10));
      most = Math.max(most, await page.locator('.row').count());
    }
    expect(most).toBeLessThan(80);
    await scrollTo(0);
    await row(1).waitFor();
    await scrollTo(0.5);
    await row(50_000).waitFor();
  });

  test('it may be scrolled wildly, and comes to what is asked for', async () => {
    const times = await list().evaluate(async (box) => {
      const frames: number[] = [];
      let last = performance.now();
      for (let i = 0; i < 120; ++i) {
        box.scrollTop = ((box.scrollHeight - box.clientHeight) * ((i * 37) % 120)) / 120;
        await new Promise((next) => requestAnimationFrame(next));
        const now = performance.now();
        frames.push(now - last);
        last = now;
      }
      return frames.sort((a, b) => a - b);
    });
    console.log(`a frame while scrolling 100,000 packets: median ${times[60]?.toFixed(1)} ms, longest ${times.at(-1)?.toFixed(1)} ms`);
    await scrollTo(0);
    await row(1).waitFor();
  });

  test('it follows what comes, until somebody scrolls up', async () => {
    mock.grow(100_101);
    await row(100_100).waitFor();
    await scrollTo(0.3);
    const follow = page.getByRole('button', { name: 'Follow' });
    await soon(async () => expect(await follow.getAttribute('aria-pressed')).toBe('false'));
    const seen = await page.locator('[data-number]').first().getAttribute('data-number');
    mock.grow(100_201);
    await soon(async () => expect(await page.locator('[data-test=state]').innerText()).toContain('100,200 packets'));
    expect(Math.abs(Number(await page.locator('[data-number]').first().getAttribute('data-number')) - Number(seen))).toBeLessThan(40);
    await follow.click();
    await row(100_200).waitFor();
  });

  test('a pause holds the list, and what came shows after it', async () => {
    await page.getByRole('button', { name: 'Pause' }).click();
    mock.grow(100_501);
    await soon(async () => expect(await page.locator('[data-test=state]').innerText()).toContain('100,500 packets'));
    expect(await row(100_500).count()).toBe(0);
    await page.getByRole('button', { name: 'Go on' }).click();
    await row(100_500).waitFor();
  });

  test('packets that the server forgot leave the list, and it says so', async () => {
    await scrollTo(0);
    await row(1).waitFor();
    mock.grow(200_001, 150_001);
    await page.getByText('150,000 older packets were forgotten').waitFor();
    await row(150_001).waitFor();
    expect(await row(1).count()).toBe(0);
  });

  test('keys move the choice', async () => {
    await page.getByRole('grid', { name: 'Packets' }).focus();
    await page.keyboard.press('Home');
    await soon(async () => expect(await row(1).getAttribute('aria-selected')).toBe('true'));
    await page.keyboard.press('ArrowDown');
    await soon(async () => expect(await row(2).getAttribute('aria-selected')).toBe('true'));
    await page.keyboard.press('End');
    await soon(async () => expect(await row(100_000).getAttribute('aria-selected')).toBe('true'));
  });
});

describe('questions', () => {
  test('a filter shows what matches', async () => {
    await page.getByLabel('Filter').fill('Ping');
    await page.getByText('10,000 packets match').waitFor();
    await row(99_990).waitFor();
    expect(await row(99_999).count()).toBe(0);
    await page.getByLabel('Filter').fill('');
    await row(99_999).waitFor();
  });

  test('what is chosen stays in sight when the filter goes', async () => {
    await page.getByLabel('Filter').fill('Ping');
    await page.getByText('10,000 packets match').waitFor();
    await scrollTo(0);
    await row(50).click();
    await page.getByLabel('Filter').fill('');
    await soon(async () => expect(await row(50).getAttribute('aria-selected')).toBe('true'));
    await row(51).waitFor();
    await page.getByRole('searchbox').fill('number 5');
    await page.getByRole('searchbox').press('Enter');
    await soon(async () => expect(await row(51).getAttribute('aria-selected')).toBe('true')); // the next one after it
  });

  test('a mistake in a filter is explained, and the list stays', async () => {
    await page.getByLabel('Filter').fill('Pong');
    await page.getByRole('alert').getByText('unknown packet Pong').waitFor();
    expect(await row(100_000).count()).toBe(1);
  });

  test('a search goes to the packet', async () => {
    await page.getByRole('searchbox').fill('number 12345');
    await page.getByRole('button', { name: 'Next' }).click();
    await soon(async () => expect(await row(12_345).getAttribute('aria-selected')).toBe('true'));
    await page.getByRole('heading', { name: 'ChatMessage' }).waitFor();
  });
});

describe('one packet', () => {
  test('fields and bytes highlight each other', async () => {
    await row(99_999).click();
    const field = page.locator('[data-span="2"]');
    await field.getByText('"number 99999"').waitFor();
    await field.hover();
    await soon(async () => expect(await page.locator('.byte.lit').count()).toBe(13));
    const byte = page.locator('.byte[data-at="5"]');
    await page.mouse.move(5, 5);
    await soon(async () => expect(await page.locator('.byte.lit').count()).toBe(0));
    await byte.hover();
    await soon(async () => expect(await field.getAttribute('aria-selected')).toBe('true'));
    await page.locator('.byte[data-at="0"]').click();
    await page.getByText('presence bits').waitFor(); // parts of the format are shown when they are meant
  });

  test('texts of strangers stay texts', async () => {
    await page.getByRole('searchbox').fill('onerror');
    await page.getByRole('searchbox').press('Enter');
    await soon(async () => expect(await row(7).getAttribute('aria-selected')).toBe('true'));
    await page.locator('[data-span="2"]').getByText('onerror').waitFor();
    expect(await page.evaluate(() => (window as unknown as { broken?: number }).broken)).toBeUndefined();
    expect(await page.locator('main img').count()).toBe(0);
  });

  test('a selection is saved as a file', async () => {
    await row(99_995).click();
    await row(99_998).click({ modifiers: ['Shift'] });
    await page.getByText('Save the selection').waitFor();
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'pcapng' }).click()]);
    expect(saved.suggestedFilename()).toBe('orbis-packets.pcapng');
    expect(mock.asked).toContain('/api/export?filter=&format=pcapng&from=99995&to=99998');
  });
});

describe('figures', () => {
  test('rates and latency have charts with numbers', async () => {
    await page.getByRole('tab', { name: 'Rates' }).click();
    await page.getByLabel('Rates over time').waitFor();
    await page.getByRole('cell', { name: 'Default' }).waitFor();
    await page.getByRole('tab', { name: 'Latency' }).click();
    await page.getByRole('cell', { name: 'Ping, raw' }).waitFor();
    expect(await page.getByRole('region', { name: 'Latency' }).innerText()).toContain('30.0 ms');
  });
});
