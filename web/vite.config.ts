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

export default defineConfig({
  base: './',
  plugins: [svelte({ configFile: false }), classicScript()],
  build: {
    outDir: process.env['ORBIS_PAGE_OUT'] ?? '../build/web',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 100_000,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: { output: { format: 'iife' } },
  },
  test: { include: ['src/**/*.test.ts'] },
});
