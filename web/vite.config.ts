import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/// A page opened by a double click (file://) may load neither module scripts nor anything marked crossorigin.
function classicScript(): Plugin {
  return {
    name: 'classic-script',
    enforce: 'post',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => html.replace('<script type="module" crossorigin', '<script defer').replaceAll(' crossorigin', ''),
    },
  };
}

const k_out = process.env['ORBIS_PAGE_OUT'] ?? '../build/web';
const k_inputs: Record<string, string> = { viewer: 'src/viewer/main.ts', inspector: 'inspector.html' };

/// The script for three dimensions, which the page loads when it is wanted; its name has its hash.
function viewerScript(): string {
  const names = readdirSync(resolve(import.meta.dirname, k_out, 'viewer'));
  const found = names.find((name) => /^main-.*\.js$/.test(name));
  if (!found) throw new Error('the viewer is not built: npm run build');
  return `viewer/${found}`;
}

/// Each page is one classic script, so each is a build of its own: first the script for three dimensions, which empties
/// the folder, then the map, which has to know its name. What belongs to that script and to the inspector is in folders of
/// their own, because maps are written without them.
export default defineConfig(({ mode }) => ({
  base: './',
  plugins: [svelte({ configFile: false }), classicScript()],
  define: { __ORBIS_VIEWER__: JSON.stringify(mode === 'production' ? viewerScript() : '') },
  build: {
    outDir: k_out,
    emptyOutDir: mode === 'viewer',
    assetsDir: mode === 'production' ? 'assets' : mode,
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 100_000,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: { input: k_inputs[mode] ?? 'index.html', output: { format: 'iife' as const } },
  },
  test: { include: ['src/**/*.test.ts'] },
}));
