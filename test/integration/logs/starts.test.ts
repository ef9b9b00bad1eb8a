// `nsv logs` says where a process was started: at its place in the files, and once.
import { appendFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Output } from '../../../src/cli/command.ts';
import { createPrinter } from '../../../src/cli/logs/printer.ts';
import { createLogStream } from '../../../src/cli/logs/stream.ts';
import { type LogSink, type LogSource, renderStart, type Start } from '../../../src/cli/render/log-line.ts';
import { loadPaint } from '../../../src/cli/render/paint.ts';
import { realClock } from '../../../src/shared/clock.ts';
import { directoryForEach } from '../../helpers/directory.ts';
import { eventually } from '../../helpers/eventually.ts';

const at = directoryForEach();
let file: string;

beforeEach(() => {
  file = at('web-0-out.log');
});

const source = (file: string, id = 0): LogSource => ({ id, name: 'web', slot: 0, stream: 'out', file });
const start = (at: number): Start => ({ at, app: 'web', slot: undefined });
/** The files of these tests are not newer. */
const later = Date.now() + 60_000;

function shown() {
  const seen: string[] = [];
  const sink: LogSink = {
    emit: ({ id }, line) => void seen.push(`${id}:${line}`),
    start: ({ id }, { at }, isNew) => void seen.push(`${id}:${isNew ? 'new ' : ''}start ${at}`),
    flush: async () => {},
    tellUntimed: () => {},
  };
  const stream = createLogStream({ lines: 15, linesUntimed: 15, since: undefined }, sink);
  onTestFinished(() => stream.close());
  return { seen, stream };
}

describe('a start in a file', () => {
  async function looked(starts: [at: number, offset: number][]): Promise<string[]> {
    const { seen, stream } = shown();
    await stream.add([source(file)]);
    for (const [at, offset] of starts) stream.mark(file, offset, start(at), false);
    await stream.look();
    return seen.map((line) => line.replace(`${later}`, 'later'));
  }

  it.each<[string, [at: number, offset: number][], string[]]>([
    ['is before the lines of its process', [[later, 2]], ['0:a', '0:start later', '0:b']],
    ['is at the beginning where its process has begun the file', [[later, 0]], ['0:start later', '0:a', '0:b']],
    ['is at the end where its process has printed nothing yet', [[later, 4]], ['0:a', '0:b', '0:start later']],
    ['is not shown if the file has been emptied since', [[later, 5]], ['0:a', '0:b']],
    ['is not shown if something else is there by now', [[later, 1]], ['0:a', '0:b']],
    ['is not shown if the file is newer', [[0, 2]], ['0:a', '0:b']],
  ])('%s', async (_, starts, expected) => {
    writeFileSync(file, 'a\nb\n');
    expect(await looked(starts)).toEqual(expected);
  });

  it('is not shown if rotation has moved the lines since', async () => {
    writeFileSync(file, 'a\nb\n');
    const at = statSync(file).birthtimeMs + 1;
    const rotated = `${file}.1`;
    await eventually(() => {
      writeFileSync(rotated, 'x\n');
      const isLater = statSync(rotated).birthtimeMs > at;
      if (!isLater) unlinkSync(rotated);
      return isLater;
    });
    expect(await looked([[at, 2]])).toEqual(['0:x', '0:a', '0:b']);
  });

  it('is shown at once while the file is followed, and ends the unfinished line of the previous process', async () => {
    writeFileSync(file, 'a\n');
    const { seen, stream } = shown();
    await stream.add([source(file)]);
    await stream.look();
    appendFileSync(file, 'unfin');
    await stream.look();
    stream.mark(file, 7, start(1), true);
    await stream.look();
    appendFileSync(file, 'b\n');
    await stream.look();
    stream.mark(file, 8, start(2), true);
    await stream.look();
    expect(seen).toEqual(['0:a', '0:unfin', '0:new start 1', '0:b', '0:new start 2']);
  });

  it('gives its time to the lines after it that have none', async () => {
    const other = at('other.log');
    writeFileSync(file, 'a\nb\n');
    writeFileSync(other, 'c\n2026-11-21 10:00:00 d\n');
    const { seen, stream } = shown();
    await stream.add([source(file), source(other, 1)]);
    stream.mark(file, 2, start(later), false);
    await stream.look();
    expect(seen).toEqual(['0:a', '1:c', '1:2026-11-21 10:00:00 d', `0:start ${later}`, '0:b']);
  });
});

describe('a start on the screen', () => {
  const past = { isNew: false, startedAt: undefined, changedAt: undefined };
  const timed = Buffer.from('2026-11-21 10:00:00 x');
  const untimed = Buffer.from('x');

  function printed(act: (printer: LogSink) => void): string[] {
    const chunks: Buffer[] = [];
    const out = { pass: async (bytes: Buffer) => void chunks.push(bytes) } as unknown as Output;
    const printer = createPrinter(out, realClock, {
      render: (_, line) => [line],
      renderStart: ({ at }) => Buffer.from(`start ${at}`),
      matches: () => true,
      linesUntimed: 15,
    });
    act(printer);
    void printer.flush();
    return Buffer.concat(chunks).toString().split('\n').slice(0, -1);
  }

  it.each([
    ['once, before the first line, where lines have times', timed, ['start 1', `${timed}`, `${timed}`]],
    ['in each file where they have none', untimed, ['start 1', 'x', 'start 1', 'x']],
  ])('is printed %s', (_, line, expected) => {
    const lines = printed((printer) => {
      const one = start(1);
      for (const path of ['out', 'err']) printer.start?.(source(path), one, false);
      for (const path of ['out', 'err']) printer.emit(source(path), line, past);
    });
    expect(lines).toEqual(expected);
  });

  it('is printed once and at once when it is new', () => {
    const lines = printed((printer) => {
      const one = start(1);
      for (const path of ['out', 'err']) printer.start?.(source(path), one, true);
      printer.start?.(source('out'), start(2), true);
    });
    expect(lines).toEqual(['start 1', 'start 2']);
  });

  it('is not printed for an earlier process that has printed nothing', () => {
    expect(printed((printer) => printer.start?.(source('out'), start(1), false))).toEqual([]);
  });

  it('has its time, and the day if that is not today', async () => {
    const plain = await loadPaint(false);
    const at = new Date(2026, 10, 21, 18, 20, 5).getTime();
    expect(`${renderStart(start(at), at, plain)}`).toBe('── web started 18:20:05 ──');
    expect(`${renderStart({ ...start(at), slot: 2 }, at + 24 * 3_600_000, plain)}`).toBe(
      '── web (instance 2) started 2026-11-21 18:20:05 ──',
    );
  });
});
