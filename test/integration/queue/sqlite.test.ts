import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createQueue } from '../../../src/queue/index.ts';
import { openDatabase } from '../../../src/queue/stores/sqlite/driver.ts';
import { sqliteStore } from '../../../src/queue/stores/sqlite/sqlite.ts';
import { add, soon } from './on-a-store.ts';
import { describeStore } from './store.suite.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nsv-queue-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const fileOf = new Map<string, string>();

/** Each test has a store of its own. */
function fileOfTest(): string {
  const { currentTestName = '' } = expect.getState();
  const file = fileOf.get(currentTestName) ?? join(newFolder(), 'queues.sqlite');
  fileOf.set(currentTestName, file);
  return file;
}

describeStore('SQLite', async () => sqliteStore({ file: fileOfTest() }));

describe('the file of a store', () => {
  it('is created with the first task, and only its user can read it', async () => {
    const file = join(newFolder(), 'q.sqlite');
    const store = sqliteStore({ file });
    onTestFinished(() => store.close());
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
    await addOne(store);
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(name).mode & 0o777).toBe(0o600);
  });

  it('keeps its tasks when the store is closed', async () => {
    const file = join(newFolder(), 'q.sqlite');
    const first = sqliteStore({ file, synchronous: 'full' });
    await addOne(first);
    await first.close();
    const second = sqliteStore({ file });
    onTestFinished(() => second.close());
    expect(await second.get('q', 'a')).toMatchObject({ state: 'pending' });
  });

  it('may be locked by another program for a while', async () => {
    const file = join(newFolder(), 'q.sqlite');
    const store = sqliteStore({ file });
    onTestFinished(() => store.close());
    await store.counts('q');
    const other = openDatabase(file);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    let isAdded = false;
    const added = addOne(store).then(() => {
      isAdded = true;
    });
    // Meanwhile the event loop turns, and others can be read.
    await after(20);
    expect(await store.counts('q')).toMatchObject({ pending: 0 });
    expect(isAdded).toBe(false);
    other.exec('COMMIT');
    await added;
    expect(await store.counts('q')).toMatchObject({ pending: 1 });
  });

  it('keeps no more start times than the rate limit counts', async () => {
    const file = join(newFolder(), 'q.sqlite');
    const store = sqliteStore({ file });
    onTestFinished(() => store.close());
    const limit = { max: 2, per: 50 };
    for (let n = 0; n < 6; n += 1) {
      await add(store, `t${n}`);
      await soon(store, { limit });
    }
    const other = openDatabase(file);
    onTestFinished(() => other.close());
    const starts = other.prepare('SELECT at FROM starts ORDER BY at').all() as { at: number }[];
    expect(starts.length).toBeLessThanOrEqual(limit.max);
    // The last one is of the last claim, which has removed those that were older than `per`.
    expect(starts.at(-1)!.at - starts[0]!.at).toBeLessThan(limit.per);
  });

  it.each([
    ['is not an SQLite database', 'x'.repeat(5_000), /is not a database of SQLite; move it away to begin anew/],
    ['is damaged', damaged(), /is damaged|is not a database/],
  ])('is named in the error when it %s', async (_what, content, message) => {
    const file = join(newFolder(), 'q.sqlite');
    writeFileSync(file, content);
    const store = sqliteStore({ file });
    onTestFinished(() => store.close());
    const error = await addOne(store).catch((problem) => problem);
    expect(error).toMatchObject({
      code: 'NSV_STORE',
      message: expect.stringMatching(message),
      cause: expect.any(Error),
    });
    expect(error.message).toMatch(file);
  });

  it('is refused when a later version made it', async () => {
    const file = join(newFolder(), 'q.sqlite');
    const other = openDatabase(file);
    other.exec('PRAGMA user_version = 99');
    other.close();
    const store = sqliteStore({ file });
    await expect(addOne(store)).rejects.toMatchObject({ code: 'NSV_STORE', message: /made by a later version/ });
  });

  it('is named in the error when its directory does not exist', async () => {
    const file = join(newFolder(), 'none', 'q.sqlite');
    await expect(addOne(sqliteStore({ file }))).rejects.toMatchObject({
      code: 'NSV_STORE',
      message: expect.stringContaining(`the store ${file} failed: its directory does not exist`),
    });
  });

  it('may be in a folder that is created later', async () => {
    const folder = join(newFolder(), 'later');
    const queue = createQueue('q', { store: sqliteStore({ file: join(folder, 'q.sqlite') }) });
    onTestFinished(() => queue.close());
    queue.process(() => 'done');
    await expect(queue.add(1)).rejects.toMatchObject({ code: 'NSV_STORE' });
    mkdirSync(folder);
    const { id } = await queue.add(2);
    expect(await queue.waitFor(id)).toBe('done');
  });

  it('accepts only two values for "synchronous"', () => {
    expect(() => sqliteStore({ synchronous: 'off' as never })).toThrow('"normal" or "full", not off');
  });
});

/** Begins like a database of SQLite. */
function damaged(): Buffer {
  const content = Buffer.alloc(8_192, 0x5a);
  content.write('SQLite format 3\0');
  return content;
}

function addOne(store: ReturnType<typeof sqliteStore>): Promise<void> {
  return store.add('q', { id: 'a', data: 'null', delay: 0, priority: 0 });
}
