import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installNsv } from '../../helpers/app-library.ts';

/** Fills the disk while it works, and makes room again. */
const program = `
import { appendFileSync, writeFileSync, rmSync } from 'node:fs';
import { createQueue, sqliteStore } from 'nsv/queue';
const queue = createQueue('q', { store: sqliteStore({ file: process.argv[2] + '/q.sqlite' }), backoff: { delay: 1 } });
await queue.add(1, { id: 'first' });
let filled = () => {};
const isFull = new Promise((resolve) => { filled = resolve; });
queue.process(async () => { await isFull; return 'done'; });
const kept = ['first'];
const error = await fill();
console.log(error.code + ': ' + error.message);
let told = () => {};
const isTold = new Promise((resolve) => { told = resolve; });
const { write } = process.stderr;
process.stderr.write = (...all) => { told(); return write.apply(process.stderr, all); };
fillUp();
filled();
await isTold;
const { state } = await queue.get('first');
console.log('still ' + state);
rmSync(process.argv[2] + '/filler');
for (const id of kept) console.log(id, await queue.waitFor(id));
console.log((await queue.get('first')).attempts, (await queue.counts()).pending);
await queue.close();

function fillUp() {
  try {
    for (;;) appendFileSync(process.argv[2] + '/filler', Buffer.alloc(4096));
  } catch {}
}

async function fill() {
  writeFileSync(process.argv[2] + '/filler', Buffer.alloc(44 << 20));
  for (let n = 0; ; n += 1) {
    try {
      await queue.add('x'.repeat(500_000), { id: 'more-' + n });
      kept.push('more-' + n);
    } catch (error) {
      return error;
    }
  }
}
`;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'nsv-full-'));
  installNsv(directory);
});
afterAll(() => rmSync(directory, { recursive: true }));

describe.skipIf(process.getuid?.() !== 0)('a queue on a full disk', () => {
  it('refuses what it has no room for, and loses nothing', { tags: 'full' }, async () => {
    writeFileSync(join(directory, 'program.mjs'), program);
    const script = 'mkdir disk && mount -t tmpfs -o size=64m none disk && exec "$1" program.mjs disk';
    const words = ['-m', 'sh', '-c', script, 'sh', process.execPath];
    const { stdout, stderr } = await promisify(execFile)('unshare', words, { cwd: directory });
    const lines = stdout.trim().split('\n');
    expect(lines[0]).toMatch(/^NSV_STORE: the store \S+q\.sqlite failed: the disk is full/);
    expect(lines[1]).toBe('still running');
    expect(lines.slice(2, -1).every((line) => / done$/.test(line))).toBe(true);
    expect(lines.length).toBeGreaterThan(4);
    expect(lines.at(-1)).toBe('1 0');
    expect(stderr).toMatch(/^nsv\/queue: the queue "q" has a problem: the store \S+ failed: the disk is full/);
  });
});
