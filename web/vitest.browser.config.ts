import { defineConfig } from 'vitest/config';

// The page in a real browser, one file after another: they measure times.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global_setup.ts'],
    fileParallelism: false,
    testTimeout: 40_000,
    hookTimeout: 60_000,
  },
});
