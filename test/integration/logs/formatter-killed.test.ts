// The formatter as a process of its own, killed again and again: no part of a line is lost, and none is there twice.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Source, ToFormatter } from '../../../src/ipc/formatter-messages.ts';
import { homePaths } from '../../../src/shared/paths.ts';
import { directoryForEach } from '../../helpers/directory.ts';
import { eventually } from '../../helpers/eventually.ts';
import { root } from '../../helpers/nsv.ts';
import { endChild } from '../../helpers/proc.ts';
import { makeFifo, writeAll } from '../../helpers/program.ts';

const program = join(root, 'dist', 'formatter', 'main.js');
const format = { json: false, merge: false, date: null, prefix: true };

const at = directoryForEach();
let formatter: ChildProcess | undefined;
let fds: number[];

beforeEach(() => {
  chmodSync(at(), 0o700);
  mkdirSync(fifos(), { mode: 0o700 });
  fds = [];
});

afterEach(async () => {
  for (const fd of fds) closeSync(fd);
  if (formatter) await endChild(formatter);
});

const fifos = () => homePaths(at()).fifos;
const log = (stream: string) => at(`${stream}.log`);
const text = (stream: string) => (existsSync(log(stream)) ? readFileSync(log(stream), 'utf8') : '');
const tails = () => readdirSync(fifos()).filter((name) => name.endsWith('.tail'));
/** What the log is to contain of this output. */
const formatted = (output: string) => output.replace(/[^\n]*\n/g, (line) => `web|0 | ${line}`);

function launch(): void {
  formatter = spawn(process.execPath, [program], { env: { ...process.env, NSV_HOME: at() }, stdio: 'inherit' });
}

/** The standard output and error of a process, which stay open while no formatter is there. */
async function pipes(): Promise<[number, number]> {
  const files = ['web.out', 'web.err'].map((name) => join(fifos(), name));
  await makeFifo(...files);
  fds = files.map((file) => openSync(file, constants.O_RDWR | constants.O_NONBLOCK));
  return fds as [number, number];
}

async function tell(message: ToFormatter): Promise<void> {
  const socket = await eventually(async () => {
    const dialled = connect(homePaths(at()).formatter);
    // Nobody listens there yet.
    const isConnected = await once(dialled, 'connect').then(
      () => true,
      () => false,
    );
    return isConnected && dialled;
  });
  // The formatter closes when it has heard that this was all.
  socket.resume().end(`${JSON.stringify(message)}\n`);
  await once(socket, 'close');
}

const source = (): Source => ({
  id: 'web',
  app: 'web',
  cwd: '/',
  slot: 0,
  pid: 1,
  format,
  out: log('out'),
  err: log('err'),
});

/** Ends in the midst of a line, and of a character. */
function someOutput(): Buffer {
  const lengths = Array.from({ length: randomInt(4) }, () => randomInt(randomInt(2) ? 20 : 5_000));
  const lines = lengths.map((length) => `${'ä€x'.repeat(length)}\n`);
  return Buffer.from(`${lines.join('')}${'€'.repeat(1 + randomInt(30_000))}`).subarray(0, -1 - randomInt(2));
}

it('an unfinished line is continued by the next formatter', async () => {
  const [out, err] = await pipes();
  launch();
  await tell({ do: 'read', source: source() });
  const output: Buffer[] = [];
  for (let round = 0; round < 10; round += 1) {
    const some = someOutput();
    output.push(some);
    await writeAll(out, some);
    // Comes later, so what came before has been read when this is written.
    await writeAll(err, `${round}\n`);
    await eventually(() => text('err').endsWith(`${round}\n`));
    await endChild(formatter!);
    launch();
  }
  output.push(Buffer.from(' end\n'));
  await writeAll(out, output.at(-1)!);
  await eventually(() => text('out').endsWith(' end\n'));
  const expected = Buffer.from(formatted(Buffer.concat(output).toString('latin1')), 'latin1');
  expect(readFileSync(log('out')).equals(expected)).toBe(true);
  await eventually(() => tails().length === 0);
});

it('an unfinished line is written by the next formatter when its process has ended', { tags: 'full' }, async () => {
  const [out, err] = await pipes();
  launch();
  await tell({ do: 'read', source: source() });
  await writeAll(out, 'one\nlast words');
  await writeAll(err, '1\n');
  await eventually(() => text('err') !== '');
  expect(tails()).toEqual(['web.out.tail']);
  await endChild(formatter!);
  launch();
  await tell({ do: 'finish', id: 'web' });
  await eventually(() => text('out') === formatted('one\nlast words\n'));
  expect(tails()).toEqual([]);
  for (const fd of fds.splice(0)) closeSync(fd);
  await eventually(() => readdirSync(fifos()).length === 0);
});

it('a tail file that no formatter has written is not read', async () => {
  const [out] = await pipes();
  writeFileSync(join(fifos(), 'web.out.tail'), 'forged', { mode: 0o644 });
  launch();
  await tell({ do: 'read', source: source() });
  await writeAll(out, 'one\n');
  await eventually(() => text('out') !== '');
  expect(text('out')).toBe(formatted('one\n'));
});
