import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { launch, open, soon } from './browser.ts';
import { k_orbis, run, up } from './orbis.ts';

interface Started {
  ready: Record<string, unknown>;
  stop(): Promise<void>;
}

/// Starts a verb with events as JSON, and waits until it is ready.
async function start(...words: string[]): Promise<Started> {
  const child: ChildProcess = spawn(k_orbis, [...words, '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const ready = await new Promise<Record<string, unknown>>((found, failed) => {
    const hear = (data: Buffer): void => {
      said += data.toString();
      const line = said.split('\n').slice(0, -1).find((each) => each.includes('"event":"ready"') || each.includes('"url"'));
      if (line) found(JSON.parse(line) as Record<string, unknown>);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
    child.on('exit', () => failed(new Error(`${words.join(' ')} ended: ${said}`)));
  });
  return {
    ready,
    stop: () =>
      new Promise((done) => {
        child.on('exit', () => done());
        child.kill('SIGTERM');
      }),
  };
}

let browser: Browser;
let universe: string;
let server: Started;
let proxy: Started;

beforeAll(async () => {
  browser = await launch();
  universe = join(inject('work'), 'inspected');
  run('sample', universe);
  server = await start('serve', universe, '--bind', '127.0.0.1:0', '--unlimited');
  proxy = await start('proxy', '127.0.0.1:0', (server.ready['addresses'] as string[])[0]!, '--inspect', '127.0.0.1:0', '--capture', join(inject('work'), 'inspected.pcapng'));
  run('download', (proxy.ready['addresses'] as string[])[0]!, join(inject('work'), 'downloaded'), '--area=-320,-320,319,319', '--view-radius', '512', '--quiet');
});
afterAll(async () => {
  await proxy.stop();
  await server.stop();
  await browser.close();
});

describe('a download of the sample', () => {
  test('passes through the proxy in sight of the page', async () => {
    const { page, errors } = await open(browser, proxy.ready['inspector'] as string);
    await page.getByLabel('Filter').fill('Connect');
    await page.getByText('1 packet matches').waitFor();
    await page.locator('[data-number]').first().click();
    await page.getByRole('treeitem').getByText('username').waitFor();
    await page.getByText('"orbis"').first().waitFor();
    await page.getByRole('tab', { name: 'Map' }).click();
    await soon(async () => expect(await page.locator('[data-test=scene]').innerText()).toContain('chunks'));
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('is drawn as orbis map draws the world', async () => {
    const address = proxy.ready['inspector'] as string;
    await soon(async () => expect(((await (await fetch(`${address}api/scene/1`)).json()) as { drawn: number }).drawn).toBe(400));
    // The same pixels are the same file.
    const map = await up(universe, '--cache', join(inject('work'), 'inspected-cache'));
    const world = ((await (await fetch(`${map.address}api/worlds`)).json()) as { worlds: { folder: string }[] }).worlds[0]!.folder;
    const wanted = await (await fetch(`${map.address}api/tile/${encodeURIComponent(world)}/surface/0/0.0`)).arrayBuffer();
    const drawn = await (await fetch(`${address}api/tile/1/surface/0/0.0`)).arrayBuffer();
    expect(Buffer.from(drawn).equals(Buffer.from(wanted))).toBe(true);
    await map.stop();
  });

  test('is the same from its capture', async () => {
    await soon(() => expect(run('capture', 'stats', join(inject('work'), 'inspected.pcapng'), '--where', 'JoinWorld')).toContain('JoinWorld'));
    const served = await start('capture', 'serve', join(inject('work'), 'inspected.pcapng'), '--http', '127.0.0.1:0');
    const { page, errors } = await open(browser, served.ready['url'] as string);
    await page.getByLabel('Filter').fill('packet = SetChunk and to client');
    await page.getByText('packets match').waitFor();
    await page.locator('[data-number]').first().click();
    await page.getByRole('treeitem').getByText('localLight').first().waitFor();
    expect(errors).toEqual([]);
    await page.context().close();
    await served.stop();
  });
});
