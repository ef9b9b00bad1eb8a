import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

// No test speaks TLS with the world, and Node 20 takes 40 ms of its 60 to start for reading these.
delete process.env.NODE_EXTRA_CA_CERTS;

// The commands of all homes share what they compile.
process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, 'node_modules', '.cache');
mkdirSync(process.env.NODE_COMPILE_CACHE, { recursive: true });

/** Three to a core: most tests wait for processes most of the time. */
const workers = Math.max(2, Math.min(3 * availableParallelism(), 24));

/** These count descriptors, handles, bytes or time of the process that they run in, which must be their own. */
const measuring = [
  ...['daemon/spawn', 'daemon/watcher', 'logs/log-files', 'logs/rotated-logs'],
  ...['os/sampler', 'os/tree', 'wire/wire-long-path'],
].map((name) => `test/integration/${name}.test.ts`);

const shared = {
  pool: 'forks',
  // A guard against a test that hangs, not a measure of speed: no test has a limit of its own below it.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  retry: 0,
} as const;

export default defineConfig({
  test: {
    maxWorkers: workers,
    sequence: { sequencer: LongestFirst },
    // Tiers are a tag and not folders, so that a test stands beside those of its subject and their helpers, and changes
    // its tier by one word. `npm test` leaves these out: CONTRIBUTING.md.
    tags: [{ name: 'full', description: 'sweeps, races and combinations, for npm run test:full' }],
    projects: [
      {
        test: {
          ...shared,
          name: 'together',
          include: ['test/*.test.ts', 'test/{unit,integration,e2e}/**/*.test.ts'],
          exclude: measuring,
          // A file leaves nothing behind but loaded modules, which the next one can use.
          isolate: false,
        },
      },
      { test: { ...shared, name: 'measuring', include: measuring } },
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
