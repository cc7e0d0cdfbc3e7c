import { execFileSync } from 'node:child_process';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { readPng } from './png.ts';

/// Debian's Chromium, without any traffic of its own. `graphics` draws three dimensions without a graphics card.
export function launch(graphics = false): Promise<Browser> {
  const executablePath = execFileSync('sh', ['-c', 'command -v chromium || command -v chromium-browser']).toString().trim();
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox', // root has none
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-default-apps',
      '--disable-domain-reliability',
      '--disable-sync',
      '--no-first-run',
      '--no-pings',
      '--disable-features=OptimizationHints,MediaRouter,Translate,AutofillServerCommunication,DialMediaRouteProvider',
      '--disable-dev-shm-usage',
      ...(graphics ? ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'] : []),
    ],
  });
}

export const k_size = { width: 1200, height: 800 };
export const k_middle = { x: 600, y: 400 };

export interface Opened {
  page: Page;
  requests: string[];
  errors: string[];
}

/// A fresh page; its script errors and requests are kept.
export async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: k_size, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const requests: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(url);
  return { page, requests, errors };
}

/// Tries until the check passes: drawing and answers take their time. Only a test that fails waits to the end.
export async function soon(check: () => Promise<void> | void): Promise<void> {
  const end = Date.now() + 120_000;
  for (;;) {
    try {
      await check();
      return;
    } catch (problem) {
      if (Date.now() > end) throw problem;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

export async function pixel(page: Page, x = k_middle.x, y = k_middle.y): Promise<[number, number, number]> {
  return readPng(await page.screenshot({ clip: { x, y, width: 1, height: 1 } })).at(0, 0);
}

export const address = (page: Page): URLSearchParams => new URLSearchParams(new URL(page.url()).hash.slice(1));

/// The place in the middle of the map, as the address says it.
export const place = (page: Page): { x: number; z: number; zoom: number } => {
  const fields = address(page);
  return { x: Number(fields.get('x')), z: Number(fields.get('z')), zoom: Number(fields.get('zoom')) };
};

export const expectPixel = (page: Page, colour: readonly number[], x?: number, y?: number): Promise<void> =>
  soon(async () => expect(await pixel(page, x, y)).toEqual(colour.slice(0, 3)));
