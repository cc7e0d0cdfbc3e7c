import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { makeMap } from './make_map.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /// The built page, a made map for file://, one with 100,000 containers and entities, and one as a server has it.
    page: string;
    exported: string;
    crowded: string;
    served: string;
    work: string;
  }
}

export default function setup(project: TestProject): () => void {
  const page = resolve(process.env['ORBIS_PAGE_OUT'] ?? '../build/web');
  if (!existsSync(join(page, 'index.html'))) throw new Error(`${page} has no page: run npm run build`);
  const work = mkdtempSync(join(tmpdir(), 'orbis-page-'));
  makeMap(page, join(work, 'exported'), { many: 2000, layers: ['surface', 'height', 'slice@64', 'slice@90'], checked: true });
  makeMap(page, join(work, 'crowded'), { many: 100_000, layers: ['surface'] });
  makeMap(page, join(work, 'served'), { many: 200, layers: [], live: true });
  project.provide('page', page);
  project.provide('exported', join(work, 'exported'));
  project.provide('crowded', join(work, 'crowded'));
  project.provide('served', join(work, 'served'));
  project.provide('work', work);
  return () => rmSync(work, { recursive: true, force: true });
}
