// Test programs as a plain Node can run them: TypeScript bundled into a file, and started as a process.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';

/** Bundles test/helpers/<name>.ts. Returns the file; its folder is the caller's to remove. */
export async function bundle(name: string): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), 'nsv-bundle-')), `${name}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return outfile;
}

export interface Program {
  child: ChildProcess;
  /** The first line it prints, or undefined when it ends without one. */
  line: Promise<string | undefined>;
  ended: Promise<number | NodeJS.Signals | null>;
}

/** `node`: another Node, or a command that runs one. */
export function run(
  file: string,
  home: string,
  args: string[] = [],
  node: string | string[] = process.execPath,
): Program {
  const [program = '', ...words] = [node, file, ...args].flat();
  const child = spawn(program, words, {
    env: { ...process.env, NSV_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  return {
    child,
    line: new Promise((resolve) => {
      lines.once('line', resolve);
      lines.once('close', () => resolve(undefined));
    }),
    ended: new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal))),
  };
}
