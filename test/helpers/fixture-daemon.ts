// A daemon with nothing behind its wire, bundled by `bundleFixtureDaemon` and run as a process of its own.
// $NSV_HOME/limits.json, where there is one, changes the limits of its server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimHome } from '../../src/daemon/state/singleton.ts';
import type { ServerLimits } from '../../src/ipc/limits.ts';
import { homePaths } from '../../src/shared/paths.ts';
import { serve } from './wire.ts';

const paths = homePaths();
const claim = await claimHome(paths);
if (claim) await serveHome(claim.release);

async function serveHome(release: () => void): Promise<void> {
  const server = await serve(paths, {
    limits: limitsOf(join(paths.home, 'limits.json')),
    handlers: {
      save: () => new Promise(() => {}),
      describe: ({ targets }) => JSON.parse(JSON.stringify(targets.map(() => 'x'.repeat(1024 * 1024)))),
      kill: () => {
        setImmediate(end);
        return { pid: process.pid, stopped: 0 };
      },
    },
  });
  async function end(): Promise<void> {
    await server.close();
    release();
    process.exit();
  }
  process.stdout.write('serves\n');
}

function limitsOf(file: string): Partial<ServerLimits> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<ServerLimits>;
  } catch {
    return {};
  }
}
