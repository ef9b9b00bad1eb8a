import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

// No test speaks TLS with the world, and Node 20 takes 40 ms of its 60 to start for reading these.
delete process.env.NODE_EXTRA_CA_CERTS;

const shared = {
  pool: 'forks',
  // A guard against a test that hangs, not a measure of speed: no test has a limit of its own below it.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  retry: 0,
} as const;

export default defineConfig({
  test: {
    // Three to a core of the two: most tests wait for processes most of the time.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    // Of most tests nothing outlives a file but the modules that were loaded, which need not be loaded again for the next one.
    projects: [
      { test: { ...shared, name: 'unit', include: ['test/unit/**/*.test.ts', 'test/*.test.ts'], isolate: false } },
      { test: { ...shared, name: 'e2e', include: ['test/e2e/**/*.test.ts'], isolate: false } },
      // Some of these measure the process that they run in.
      { test: { ...shared, name: 'integration', include: ['test/integration/**/*.test.ts'] } },
      // After all others, one at a time: a load of so many requests a second needs the processor when they are due.
      {
        test: {
          ...shared,
          name: 'alone',
          include: ['test/alone/**/*.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
