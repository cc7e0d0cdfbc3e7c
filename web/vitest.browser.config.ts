import { defineConfig } from 'vitest/config';

// The page in a real browser, one file after another. Limits are far beyond what the slowest machine needs: only a test
// that fails waits so long.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global_setup.ts'],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
