// `npm run test:heavy`: tests in test/heavy, of what not every machine has (Redis, Chromium, nginx, sshd, a living systemd, large
// npm packages). `npm test` leaves them out. Each says by `skipIf`, with the reason, where what it needs is not there.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/heavy/**/*.test.ts'],
    passWithNoTests: true,
    pool: 'forks',
    testTimeout: 300_000,
    hookTimeout: 300_000,
    retry: 0,
    maxWorkers: 2,
  },
});
