import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // Real processes on a machine with two cores: a deadline for a hang, not a measure of speed.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 0,
    maxWorkers: 3,
  },
});
