// Packages that only the apps of some tests need. They are large, so they are no dependencies of nsv: they are installed
// while the tests run, into a temporary folder.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

export interface Packages {
  /** Why they are not there, for `skipIf`; undefined once they are. It is printed too. */
  readonly missing: string | undefined;
  /** Lets the programs in a folder load them. */
  link(folder: string): void;
}

/** Removed after the last test of the file. */
export function installPackages(...names: string[]): Packages {
  const folder = mkdtempSync(join(tmpdir(), 'nsv-packages-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return {
    missing: install(folder, names),
    link: (target) => symlinkSync(join(folder, 'node_modules'), join(target, 'node_modules')),
  };
}

function install(folder: string, names: string[]): string | undefined {
  try {
    const words = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', ...names];
    execFileSync('npm', words, { stdio: 'pipe', timeout: 240_000 });
    return undefined;
  } catch (error) {
    const reason = `${names.join(', ')} cannot be installed: ${(error as Error).message.split('\n')[0]}`;
    console.warn(`skipped: ${reason}`);
    return reason;
  }
}
