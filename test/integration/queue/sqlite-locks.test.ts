// POSIX locks belong to a process, and closing any descriptor of a file drops them all. A connection that has lost its lock is invisible to
// other processes: the next one that closes its own deletes the log (-wal), with the tasks that have not been copied to the file yet.
// SQLite from 3.51 on notices and keeps the log; libsql, and node:sqlite before Node 24.22, do not.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openFile } from '../../../src/queue/stores/sqlite/open-file.ts';
import { installNsv } from '../../helpers/app-library.ts';
import { outputOf } from '../../helpers/program.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const directory = temporaryDirectory(afterAll);
beforeAll(() => installNsv(directory));

describe('a process that uses a file twice', () => {
  it.each([
    ['by two queues', `await createQueue('b', at(file)).add(1);`],
    [
      'by a queue that is closed again',
      `const b = createQueue('b', at(file));
       await b.add(1);
       await b.close();`,
    ],
    [
      'by two paths',
      `symlinkSync(file, 'link.sqlite');
       await createQueue('b', at('link.sqlite')).add(1);`,
    ],
    [
      'by both builds of nsv/queue',
      `const other = createRequire(import.meta.url)('nsv/queue');
       await other.createQueue('b', { store: other.sqliteStore({ file }) }).add(1);`,
    ],
    [
      'in a worker thread that ends',
      `const code = \`import('nsv/queue').then(async ({ createQueue, sqliteStore }) => {
         const b = createQueue('b', { store: sqliteStore({ file: \${JSON.stringify(file)} }) });
         await b.add(1);
         await b.close();
       })\`;
       await once(new Worker(code, { eval: true }), 'exit');`,
    ],
  ])('%s loses no task when another process closes the file', async (title, useAgain) => {
    const folder = join(directory, title.replaceAll(/\W/g, '-'));
    mkdirSync(folder);
    const file = join(folder, 'q.sqlite');
    const program = join(folder, 'web.mjs');
    writeFileSync(
      program,
      `import { once } from 'node:events';
       import { symlinkSync } from 'node:fs';
       import { createRequire } from 'node:module';
       import { Worker } from 'node:worker_threads';
       import { createQueue, sqliteStore } from 'nsv/queue';
       const file = ${JSON.stringify(file)};
       const at = (file) => ({ store: sqliteStore({ file }) });
       const a = createQueue('a', at(file));
       await a.add(1);
       ${useAgain}
       console.log('open');
       await once(process.stdin, 'data');
       for (let n = 0; n < 10; n += 1) await a.add(n);
       process.exit();`,
    );
    const child = spawn(process.execPath, [program], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    expect(line).toBe('open');
    await inAnotherProcess(file, 'await a.add(1)');
    child.stdin.end('go on\n');
    expect(await exited).toEqual([0, null]);
    expect(await inAnotherProcess(file, 'console.log((await a.counts()).pending)')).toBe('12\n');
  });
});

describe('the file', () => {
  it('is created where a symbolic link points to, readable by its user only', async () => {
    const folder = join(directory, 'later');
    mkdirSync(folder);
    const link = join(directory, 'to-later.sqlite');
    const target = join(folder, 'q.sqlite');
    symlinkSync(target, link);
    await inAnotherProcess(link, 'await a.add(1)');
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(await inAnotherProcess(target, 'console.log((await a.counts()).pending)')).toBe('1\n');
  });

  it.each([
    ['normal', 1],
    ['full', 2],
  ] as const)('is synced as its strictest store asks: %s', (strictest, level) => {
    const file = join(directory, `${strictest}.sqlite`);
    const stores = [openFile(file, 'normal'), openFile(file, strictest), openFile(file, 'normal')];
    for (const { database } of stores)
      expect(database.prepare('PRAGMA synchronous').get()).toMatchObject({ synchronous: level });
    for (const store of stores) store.close();
  });
});

/** What a process prints that works on the queue `a`, and then exits. The drivers may put off the end of a connection until then. */
function inAnotherProcess(file: string, work: string): Promise<string> {
  const code = `import { createQueue, sqliteStore } from 'nsv/queue';
    const a = createQueue('a', { store: sqliteStore({ file: ${JSON.stringify(file)} }) });
    ${work};
    await a.close();`;
  return outputOf(process.execPath, ['--input-type=module', '-e', code], { cwd: directory });
}
