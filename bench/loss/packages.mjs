// Packages that only some apps need. They are large, so they are no dependencies of nsv: they are installed into a
// folder of their own, which stays for the next run.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificates } from '../measure.mjs';

const packages = {
  sentry: '@sentry/node',
  winston: 'winston',
  otel: '@opentelemetry/auto-instrumentations-node',
};
const folder = join(tmpdir(), 'nsv-bench-packages');
const installed = join(folder, 'node_modules');

/** The folder with the packages of an app; undefined if it needs none. Throws if they cannot be had. */
export function packagesFor(app) {
  const name = packages[app];
  if (!name) return undefined;
  if (existsSync(join(installed, name))) return installed;
  mkdirSync(folder, { recursive: true });
  // All of them, because npm removes what is not named.
  const words = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', ...Object.values(packages)];
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificates };
  execFileSync('npm', words, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return installed;
}
