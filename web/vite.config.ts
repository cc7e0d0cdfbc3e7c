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

/// Each page is one classic script, so each is a build of its own: that of the map first, which empties the folder. What
/// belongs to the inspector is in its own folder, because maps are written without it.
export default defineConfig(({ mode }) => ({
  base: './',
  plugins: [svelte({ configFile: false }), classicScript()],
  build: {
    outDir: process.env['ORBIS_PAGE_OUT'] ?? '../build/web',
    emptyOutDir: mode !== 'inspector',
    assetsDir: mode === 'inspector' ? 'inspector' : 'assets',
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 100_000,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: { input: mode === 'inspector' ? 'inspector.html' : 'index.html', output: { format: 'iife' as const } },
  },
  test: { include: ['src/**/*.test.ts'] },
}));
