import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createQueue } from '../../../src/queue/index.ts';
import { openDatabase } from '../../../src/queue/stores/sqlite/driver.ts';
import { sqliteStore } from '../../../src/queue/stores/sqlite/sqlite.ts';
import { eventually } from '../../helpers/eventually.ts';
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

  it('tells of changes through a symbolic link', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'shared'));
    const [file, link] = [join(folder, 'shared', 'q.sqlite'), join(folder, 'q.sqlite')];
    const one = sqliteStore({ file });
    const other = sqliteStore({ file: link });
    onTestFinished(() => one.close());
    onTestFinished(() => other.close());
    await addOne(one);
    symlinkSync(file, link);
    let calls = 0;
    onTestFinished(
      other.watch!('q', () => {
        calls += 1;
      }),
    );
    await add(one, 'b');
    await eventually(() => calls > 0, 'the change is told');
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
    const starts = other.prepare('SELECT at FROM nsv_starts ORDER BY at').all() as { at: number }[];
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

  it('is refused when its tables are of a later version', async () => {
    const file = join(newFolder(), 'q.sqlite');
    const other = openDatabase(file);
    other.exec('CREATE TABLE nsv_version (version INTEGER); INSERT INTO nsv_version VALUES (99)');
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

  it.each<[string, (file: string) => void]>([
    ['deleted', (file) => rmSync(file)],
    ['replaced', (file) => renameSync(`${file}.old`, file)],
  ])('is opened anew when it was %s, and nothing is added to the old one', async (_what, change) => {
    const file = join(newFolder(), 'q.sqlite');
    const old = sqliteStore({ file: `${file}.old` });
    await old.counts('q');
    await old.close();
    const store = sqliteStore({ file });
    onTestFinished(() => store.close());
    await addOne(store);
    change(file);
    await expect(addOne(store)).rejects.toMatchObject({
      code: 'NSV_STORE',
      message: expect.stringContaining(`the store ${file} was deleted or replaced while it was open`),
    });
    expect(await addOne(store)).toBe(true);
    const other = openDatabase(file);
    onTestFinished(() => other.close());
    expect(other.prepare('SELECT id FROM nsv_tasks').all()).toMatchObject([{ id: 'a' }]);
  });

  it('may be a database of the app, whose tables and settings stay as they are', async () => {
    const file = join(newFolder(), 'q.sqlite');
    const own = openDatabase(file);
    onTestFinished(() => own.close());
    own.exec(
      'PRAGMA user_version = 7; PRAGMA application_id = 8; CREATE TABLE tasks (n INTEGER); INSERT INTO tasks VALUES (1)',
    );
    const queue = createQueue('q', { store: sqliteStore({ file }) });
    onTestFinished(() => queue.close());
    queue.process(() => 'done');
    expect(await queue.waitFor((await queue.add(1)).id)).toBe('done');
    for (const [name, value] of Object.entries({ journal_mode: 'delete', user_version: 7, application_id: 8 }))
      expect(own.prepare(`PRAGMA ${name}`).get()).toMatchObject({ [name]: value });
    expect(own.prepare('SELECT n FROM tasks').all()).toMatchObject([{ n: 1 }]);
    const names = own.prepare(`SELECT name FROM sqlite_schema WHERE name NOT LIKE 'nsv%' AND name NOT LIKE 'sqlite%'`);
    expect(names.all()).toMatchObject([{ name: 'tasks' }]);
  });

  it('is read by its indexes to count and to list tasks, however many there are', async () => {
    const file = join(newFolder(), 'q.sqlite');
    const store = sqliteStore({ file });
    onTestFinished(() => store.close());
    await store.counts('q');
    const database = openDatabase(file);
    onTestFinished(() => database.close());
    const prepare = vi.spyOn(Object.getPrototypeOf(database), 'prepare');
    onTestFinished(() => prepare.mockRestore());
    const other = sqliteStore({ file });
    onTestFinished(() => other.close());
    await other.counts('q');
    await other.completedSince!('q', 0);
    for (const state of ['pending', 'completed', 'failed'] as const) await other.list('q', state, 10);
    const queries = prepare.mock.calls.map(([sql]) => String(sql)).filter((sql) => sql.includes('FROM nsv_tasks'));
    prepare.mockRestore();
    expect(queries.length).toBeGreaterThan(5);
    const plan = (sql: string) =>
      database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(
        ...sql
          .replace(/[^?]/g, '')
          .split('')
          .map(() => 'q'),
      ) as { detail: string }[];
    const steps = queries.flatMap((sql) => plan(sql).map(({ detail }) => detail));
    expect(steps.filter((detail) => !/^(?:SEARCH|SCAN CONSTANT ROW|SCALAR SUBQUERY)/.test(detail))).toEqual([]);
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

  it('is opened by the class that the app gives', async () => {
    const file = join(newFolder(), 'q.sqlite');
    class Database {
      constructor(path: string) {
        throw new Error(`opens ${basename(path)}`);
      }
    }
    await expect(addOne(sqliteStore({ file, database: Database }))).rejects.toThrow(/failed: opens q\.sqlite/);
    expect(() => sqliteStore({ database: 'libsql' as never })).toThrow('"database" must be a class');
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

function addOne(store: ReturnType<typeof sqliteStore>): Promise<boolean> {
  return store.add('q', { id: 'a', data: 'null', delay: 0, priority: 0 });
}
