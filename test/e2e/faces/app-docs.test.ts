// The programs in docs/app.md and docs/queue.md run under plain Node as printed there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installNsv } from '../../helpers/app-library.ts';
import { freePort } from '../../helpers/http.ts';
import { root } from '../../helpers/nsv.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const page = ['app.md', 'queue.md'].map((name) => readFileSync(join(root, 'docs', name), 'utf8')).join('\n');
const programs = [...page.matchAll(/^```js\n\/\/ (\S+)\n([^`]*(?:`(?!``)[^`]*)*)^```$/gm)].map(
  ([, name, text]) => [name!, text!] as const,
);
/** Programs that do not end by themselves. */
const stopped = ['ready.mjs', 'worker.mjs', 'probed.mjs'];
const expected: Record<string, { code: number | null; signal: NodeJS.Signals | null; lines: RegExp }> = {
  'ready.mjs': { code: null, signal: 'SIGTERM', lines: /^instance 0 of 1 is ready$/ },
  'worker.mjs': { code: 0, signal: null, lines: /^(working on job \d+\n)+leaving the queue\nclosing the database$/ },
  'watched.mjs': { code: 0, signal: null, lines: /^the loop hangs \(1\)$/ },
  'orders.mjs': { code: 0, signal: null, lines: /^order 17 is printed$/ },
  'probed.mjs': { code: 0, signal: null, lines: /^probes on port \d+\nshutting down$/ },
};

const directory = temporaryDirectory(afterAll);
beforeAll(() => installNsv(directory));

describe('a program in docs/app.md or docs/queue.md', () => {
  it('has an entry in this test', () => {
    expect(programs.map(([name]) => name).sort()).toEqual(Object.keys(expected).sort());
  });

  it.concurrent.each(programs)('works as printed: %s', { tags: 'full' }, async (name, text) => {
    const file = join(directory, name);
    writeFileSync(file, text);
    const env = { ...process.env, PORT: String(await freePort()) };
    const child = spawn(process.execPath, [file], { env, cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (more) => {
      if (printed === '' && stopped.includes(name)) child.kill('SIGTERM');
      printed += more;
    });
    const [code, signal] = await once(child, 'close');
    const { lines, ...end } = expected[name]!;
    expect({ code, signal }).toEqual(end);
    expect(printed.trim()).toMatch(lines);
  });
});
