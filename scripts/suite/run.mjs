// Runs vitest in a process of its own, under any Node, and reads what became of the files.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { filesToRepeat } from './verdict.mjs';

const program = fileURLToPath(new URL('once.mjs', import.meta.url));

/**
 * `words`: arguments of vitest. `only`: the one file to run. `quiet`: what vitest prints becomes `output` of the result.
 * Resolves with the result of `once.mjs`; with an error in it if vitest did not get that far.
 */
export async function run({ node = process.execPath, words, only = '', env = process.env, quiet = false }) {
  const folder = mkdtempSync(join(tmpdir(), 'nsv-suite-'));
  const results = join(folder, 'results.json');
  try {
    const stdio = quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit';
    const child = spawn(node, [program, results, only, ...words], { env, stdio });
    const printed = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : ''));
    const [[code, signal], ...output] = await Promise.all([once(child, 'close'), ...printed]);
    const none = { files: [], errors: [`vitest ended without a result: ${signal ?? `exit code ${code}`}`] };
    return { ...(read(results) ?? none), output: output.join('') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the files that failed again, alone, one at a time. Resolves with what became of each. */
export async function repeat(first, options) {
  const repeated = new Map();
  for (const only of filesToRepeat(first)) {
    console.log(`\n${only} failed. Once more, alone:`);
    const { files } = await run({ ...options, only });
    repeated.set(
      only,
      files.find(({ file }) => file === only),
    );
  }
  return repeated;
}

/** Keeps the wobbles for whoever hunts them, in a file that git ignores. */
export function keepWobbles(wobbles) {
  const head = `${new Date().toISOString()} ${process.version}`;
  for (const wobble of wobbles) appendFileSync('wobbles.log', `${head} ${wobble}\n`);
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
