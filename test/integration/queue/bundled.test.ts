// An app that bundles nsv/queue. Other bundlers are in test/heavy/queue-bundled.test.ts.
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { root } from '../../helpers/nsv.ts';
import { finish } from '../../helpers/program.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

/** The bundle of a program, which runs elsewhere. Returns its file; esbuild may have no complaints. */
async function bundled(format: 'cjs' | 'esm', source: string, ...packages: string[]): Promise<string> {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'node_modules'));
  for (const name of packages) symlinkSync(join(root, 'node_modules', name), join(directory, 'node_modules', name));
  const outfile = join(directory, `app.${format === 'cjs' ? 'cjs' : 'mjs'}`);
  const alias = { 'nsv/queue': join(root, 'dist', 'queue', 'index.mjs') };
  const stdin = { contents: source, resolveDir: root, sourcefile: 'app.mjs' };
  await build({ stdin, outfile, format, bundle: true, platform: 'node', alias, logLevel: 'silent' });
  return outfile;
}

const program = `
  import { createQueue, redisStore, sqliteStore } from 'nsv/queue';
  const queue = createQueue('q', { store: sqliteStore({ file: 'q.sqlite' }) });
  queue.process(({ data }) => data + 1);
  queue.add(1).then(({ id }) => queue.waitFor(id)).then((result) => console.log(result)).then(() => queue.close());
  const other = createQueue('q', { store: redisStore({ connection: 'redis://127.0.0.1:1' }) });
  other.process(() => undefined);
  other.add(1).catch(({ code }) => console.log(code)).then(() => other.close());`;

describe.each(['cjs', 'esm'] as const)('a bundle (%s)', (format) => {
  it('finds the packages that are installed where it runs, and says what is missing', async () => {
    const file = await bundled(format, program, 'libsql', '@libsql', '@neon-rs', 'detect-libc');
    const { code, stdout, stderr } = await finish(process.execPath, [file], { cwd: join(file, '..') });
    expect({ code, lines: stdout.trim().split('\n').sort() }).toEqual({ code: 0, lines: ['2', 'NSV_NO_REDIS'] });
    expect(stderr).toMatch(
      /^nsv\/queue: the queue "q" has a problem: redisStore needs the package "ioredis", [^\n]*\n$/,
    );
  });
});
