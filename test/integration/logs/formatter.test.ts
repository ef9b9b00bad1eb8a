// What the formatter does with real FIFOs and files. Its clock is turned by hand.
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Formatter } from '../../../src/formatter/formatter.ts';
import { Records } from '../../../src/formatter/records.ts';
import type { FromFormatter, Source } from '../../../src/ipc/formatter-messages.ts';
import { allStats } from '../../../src/os/proc.ts';
import { directoryForEach } from '../../helpers/directory.ts';
import { eventually } from '../../helpers/eventually.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { procFile } from '../../helpers/proc.ts';
import { makeFifo, writeAll } from '../../helpers/program.ts';

const { O_RDWR, O_RDONLY, O_NONBLOCK } = constants;
const format = { json: false, merge: false, date: null, prefix: true };

const at = directoryForEach();
let clock: FakeClock;
let formatter: Formatter;
let reported: FromFormatter[];
let held: number[];

beforeEach(() => {
  mkdirSync(at('fifos'));
  reported = [];
  held = [];
  begin();
});

afterEach(async () => {
  for (const fd of held.splice(0)) closeSync(fd);
  await eventually(() => formatter.isIdle);
});

function begin(): void {
  clock = new FakeClock();
  const records = new Records(at('fifos'));
  formatter = new Formatter({ records, clock, send: (message) => reported.push(message), changed: () => {} });
}

const text = (name = 'out.log') => (existsSync(at(name)) ? readFileSync(at(name), 'latin1') : '');

/** A process whose output is read; returns what it would have as standard output. */
async function reads(id: string, part: Partial<Source> = {}): Promise<number> {
  const fifo = at(`fifos/${id}.out`);
  await makeFifo(fifo);
  const fd = openSync(fifo, O_RDWR | O_NONBLOCK);
  held.push(fd);
  const source = { id, app: id, cwd: '/', slot: 0, pid: 1, format, out: at('out.log'), err: null, ...part };
  formatter.onMessage({ do: 'read', source });
  return fd;
}

/** The directory of the app, with its log in `logs`, goes away and comes back. */
async function staysWith(proj: string, source: Partial<Source>): Promise<void> {
  const old = `${proj}.old`;
  if (!existsSync(proj)) mkdirSync(proj);
  const fd = await reads('web', { cwd: proj, ...source });
  const writes = async (line: string, directory: string) => {
    await clock.passes(1_000);
    await writeAll(fd, `${line}\n`);
    const log = join(directory, 'logs/out.log');
    await eventually(() => existsSync(log) && readFileSync(log, 'latin1').endsWith(`web|0 | ${line}\n`));
  };
  await writes('one', proj);
  renameSync(proj, old);
  await writes('two', old);
  expect(existsSync(proj)).toBe(false);
  renameSync(old, proj);
  await writes('three', proj);
  rmSync(join(proj, 'logs'), { recursive: true });
  await writes('four', proj);
  expect(reported.filter(({ is }) => is === 'failed')).toEqual([]);
}

async function finished(id: string): Promise<void> {
  formatter.onMessage({ do: 'finish', id });
  await eventually(() => reported.some((message) => message.is === 'finished' && message.id === id));
}

async function release(fd: number): Promise<void> {
  held = held.filter((other) => other !== fd);
  closeSync(fd);
  await eventually(() => formatter.isIdle);
}

describe('the output of a process', () => {
  it('is in its log once it has ended, including an unfinished line', async () => {
    const fd = await reads('web');
    await writeAll(fd, 'one\ntwo\r\nth');
    await finished('web');
    expect(text()).toBe('web|0 | one\nweb|0 | two\r\nweb|0 | th\n');
  });

  it('is written while it runs, except for an unfinished line', async () => {
    await writeAll(await reads('web'), 'one\ntw');
    await eventually(() => text() === 'web|0 | one\n');
  });

  it('may have lines of any length and number', { tags: 'full' }, async () => {
    const fd = await reads('web');
    const long = 'x'.repeat(10_000_000);
    const many = Array.from({ length: 50_000 }, (_, index) => `${index}`);
    await writeAll(fd, `${long}\n\n${many.join('\n')}\n`);
    await finished('web');
    const lines = text().replaceAll('web|0 | ', '').split('\n');
    const pieces = lines.indexOf('');
    expect(lines.slice(0, pieces).join('')).toBe(long);
    expect(lines.slice(pieces + 1, -1)).toEqual(many);
  });

  it('is written to its end once all writers have closed its FIFO, which is then removed', async () => {
    const fd = await reads('web');
    await writeAll(fd, 'one');
    await release(fd);
    expect(text()).toBe('web|0 | one\n');
    expect(existsSync(at('fifos/web.out')) || existsSync(at('fifos/web.json'))).toBe(false);
  });

  it('is still read after its end while another process holds the FIFO', async () => {
    const fd = await reads('web');
    await finished('web');
    await writeAll(fd, 'an orphan\n');
    await eventually(() => text() === 'web|0 | an orphan\n');
  });

  it('is merged with that of others in one file, line by line', async () => {
    const fds = await Promise.all(['a', 'b', 'c'].map((id) => reads(id)));
    for (let count = 0; count < 2_000; count += 1) for (const fd of fds) await writeAll(fd, `${count}\n`);
    for (const id of ['a', 'b', 'c']) await finished(id);
    const lines = text().trimEnd().split('\n');
    for (const id of ['a', 'b', 'c']) {
      const own = lines.filter((line) => line.startsWith(`${id}|`));
      expect(own).toEqual(Array.from({ length: 2_000 }, (_, count) => `${id}|0 | ${count}`));
    }
    expect(lines.length).toBe(6_000);
  });
});

describe('another formatter', () => {
  it('continues where the previous one ended, without the daemon', async () => {
    const fd = await reads('web');
    await writeAll(fd, 'one\n');
    await eventually(() => text() !== '');
    const source = readFileSync(at('fifos/web.json'));
    await release(fd);
    await makeFifo(at('fifos/web.out'));
    held.push(openSync(at('fifos/web.out'), O_RDWR | O_NONBLOCK));
    writeSync(openForRecord(at('fifos/web.json')), source);
    begin();
    formatter.restore();
    await writeAll(held[0]!, 'two\n');
    await finished('web');
    expect(text()).toBe('web|0 | one\nweb|0 | two\n');
  });

  it('removes the records of processes that are gone', () => {
    const source = { id: 'gone', app: 'gone', slot: 0, pid: 1, format, out: at('out.log'), err: null };
    writeSync(openForRecord(at('fifos/gone.json')), JSON.stringify(source));
    writeSync(openForRecord(at('fifos/torn.json')), '{"id":"to');
    formatter.restore();
    expect(formatter.isIdle).toBe(true);
    expect(existsSync(at('fifos/gone.json'))).toBe(false);
  });

  function openForRecord(file: string): number {
    const fd = openSync(file, 'w');
    held.push(fd);
    return fd;
  }
});

describe('a log', () => {
  it.each([
    ['deleted', (file: string) => rmSync(file)],
    ['moved away', (file: string) => renameSync(file, `${file}.1`)],
  ])('is created again within a second after it was %s', async (_title, change) => {
    const fd = await reads('web');
    await writeAll(fd, 'one\n');
    await eventually(() => text() !== '');
    change(at('out.log'));
    await clock.passes(1_000);
    await writeAll(fd, 'two\n');
    await eventually(() => text() === 'web|0 | two\n');
  });

  it('is kept in the log that was moved with the directory of its app, which is not made again', () =>
    staysWith(at('proj'), { out: at('proj/logs/out.log') }));

  it('loses lines on a full disk without stopping the app, and reports that and its recovery once', async () => {
    symlinkSync('/dev/full', at('out.log'));
    const fd = await reads('web');
    await writeAll(fd, 'one\n');
    await eventually(() => reported.length > 0);
    await writeAll(fd, 'x'.repeat(100_000));
    await writeAll(fd, '\n');
    await finished('web');
    expect(reported).toMatchObject([
      { is: 'failed', file: at('out.log'), detail: expect.stringContaining('ENOSPC') },
      { is: 'finished' },
    ]);
    rmSync(at('out.log'));
    await clock.passes(1_000);
    await writeAll(fd, 'two\n');
    await eventually(() => text() === 'web|0 | two\n');
    expect(reported.at(-1)).toEqual({ is: 'written', file: at('out.log'), lost: 100_021 });
  });

  it('is reported as written again after a failure, whichever process writes next', async () => {
    symlinkSync('/dev/full', at('out.log'));
    const fd = await reads('web');
    await writeAll(fd, 'one\n');
    await eventually(() => reported.length > 0);
    await release(fd);
    rmSync(at('out.log'));
    await writeAll(await reads('api'), 'two\n');
    await eventually(() => reported.some(({ is }) => is === 'written') && text() === 'api|0 | two\n');
  });

  it('blocks the app while it is a FIFO that is not read, and loses nothing', { tags: 'full' }, async () => {
    await makeFifo(at('out.log'));
    const reader = openSync(at('out.log'), O_RDONLY | O_NONBLOCK);
    held.push(reader);
    const fd = await reads('web');
    const lines = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`);
    const sent = writeAll(fd, lines.join(''));
    let isSent = false;
    void sent.then(() => (isSent = true));
    // Two pipes full, and what is on its way between them.
    for (let turn = 0; turn < 1_000; turn += 1) await new Promise(setImmediate);
    expect(isSent).toBe(false);
    const received = receive(reader, lines.length);
    await sent;
    expect((await received).replaceAll('web|0 | ', '')).toBe(lines.join(''));
  });

  async function receive(fd: number, count: number): Promise<string> {
    const buffer = Buffer.alloc(65_536);
    let all = '';
    while (all.split('\n').length <= count) {
      await clock.passes(10);
      try {
        all += buffer.toString('latin1', 0, readSync(fd, buffer));
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('EAGAIN');
      }
    }
    return all;
  }
});

describe.skipIf(whyNoOtherUser)("a log that the app's user has replaced with a FIFO", () => {
  const nobody = attackerForEach();
  const theirs = (name: string) => ({ out: nobody.at(name), theirs: [nobody.at(name)], owner: owner() });
  const owner = () => ({ uid: String(nobody.uid), gid: String(nobody.gid) });

  it.each([
    ['a line', 'one\n'],
    ['more than fits into a pipe', 'x\n'.repeat(500_000)],
  ])('is given up after ten seconds without a reader: %s', async (_, printed) => {
    await nobody.sh('mkfifo out.log');
    const fd = await reads('web', theirs('out.log'));
    const sent = writeAll(fd, printed);
    await eventually(() => isWriting());
    formatter.onMessage({ do: 'finish', id: 'web' });
    await clock.passes(9_999);
    expect(reported).toEqual([]);
    while (!reported.some(({ is }) => is === 'finished')) await clock.passes(1);
    const detail = 'nobody has read it for 10 seconds';
    expect(reported).toContainEqual({ is: 'failed', file: nobody.at('out.log'), detail });
    await sent;
    const released = release(fd);
    while (!formatter.isIdle) await clock.passes(100);
    await released;
    expect(isWriting()).toBe(false);
  });

  it('is kept if it was moved with the directory of the app', async () => {
    await nobody.sh('mkdir proj');
    await staysWith(nobody.at('proj'), theirs('proj/logs/out.log'));
  });

  const isWriting = () =>
    allStats().some(({ pid }) => procFile(pid, 'cmdline')?.split('\0').includes(nobody.at('out.log')));
});
