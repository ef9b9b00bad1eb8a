// Packages that only the apps of some tests need. They are large, so they are no dependencies of nsv: they are installed
// while the tests run, into a temporary folder.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { finish } from './program.ts';

export interface Packages {
  /** Why they are not there, for `skipIf`; undefined once they are. It is printed too. */
  readonly missing: string | undefined;
  /** Lets the programs in a folder load them. */
  link(folder: string): void;
}

/** Removed after the last test of the file. */
export async function installPackages(...names: string[]): Promise<Packages> {
  const folder = mkdtempSync(join(tmpdir(), 'nsv-packages-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return {
    missing: await install(folder, names),
    link: (target) => symlinkSync(join(folder, 'node_modules'), join(target, 'node_modules')),
  };
}

/** The reason, if the registry cannot be reached; undefined once they are installed. */
export async function install(folder: string, names: string[]): Promise<string | undefined> {
  const words = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', ...names];
  const { code, stderr, error } = await finish('npm', words);
  if (code === 0) return undefined;
  if (!error && !isUnreachable(stderr)) throw new Error(stderr);
  const reason = `${names.join(', ')} cannot be installed: ${error?.message ?? stderr.split('\n')[0]}`;
  console.warn(`skipped: ${reason}`);
  return reason;
}

function isUnreachable(said: string): boolean {
  return /E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|HOSTUNREACH|NETUNREACH)\b/.test(said);
}
