// `nsv logs`: which files it reads, how their lines look, and how several become one stream.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logSources } from '../../src/cli/logs/sources.ts';
import { createLogStream } from '../../src/cli/logs/stream.ts';
import { createLogLine } from '../../src/cli/render/log-line.ts';
import { loadPaint } from '../../src/cli/render/paint.ts';
import type { Clock } from '../../src/shared/clock.ts';
import { processView, run } from '../unit/cli/fake-context.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nsv-logs-'));
  file = join(folder, 'web-0-out.log');
});

afterEach(() => rmSync(folder, { recursive: true }));

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);

describe('which files are read', () => {
  const two = [
    processView({ outFile: '/a', errorFile: '/a-err' }),
    processView({ id: 1, slot: 1, outFile: '/b', errorFile: '/b-err' }),
  ];

  it('those of each process, by stream', () => {
    expect(logSources(two, ['out', 'err']).map(({ file }) => file)).toEqual(['/a', '/a-err', '/b', '/b-err']);
    expect(logSources(two, ['err']).map(({ file }) => file)).toEqual(['/a-err', '/b-err']);
  });

  it('a file that instances share once, without a slot', () => {
    const merged = two.map((process) => ({ ...process, outFile: '/all', errorFile: '/all' }));
    expect(logSources(merged, ['out', 'err'])).toEqual([
      { id: 0, name: 'web', slot: null, stream: 'out', file: '/all' },
    ]);
  });
});

describe('a line of output', async () => {
  const plain = await loadPaint(false);
  const coloured = await loadPaint(true);
  const origin = { id: 3, name: 'web', slot: 1, stream: 'err' as const };

  it('has id, name and slot before it, all prefixes equally wide', () => {
    const render = createLogLine('prefixed', [origin, { ...origin, name: 'worker' }], plain);
    expect(render(origin, 'hello')).toBe('3|web|1    | hello');
    expect(render({ ...origin, slot: null }, 'hello')).toBe('3|web      | hello');
  });

  it('has a red prefix on standard error, and keeps the colours of the app', () => {
    expect(createLogLine('prefixed', [origin], coloured)(origin, '\x1b[1mbold')).toBe(
      '\x1b[31m3|web|1 |\x1b[39m \x1b[1mbold',
    );
  });

  it('is itself alone when raw, an object when JSON', () => {
    expect(createLogLine('raw', [origin], coloured)(origin, 'hello')).toBe('hello');
    expect(JSON.parse(createLogLine('json', [origin], coloured)(origin, 'hello'))).toEqual({
      ...origin,
      line: 'hello',
    });
  });
});

describe('several files', () => {
  it('are shown one after the other, then followed with each turn of the clock', () => {
    const other = join(folder, 'other.log');
    writeFileSync(file, 'a1\na2\n');
    writeFileSync(other, 'b1\n');
    const sources = [file, other].map((path, id) => ({
      id,
      name: 'web',
      slot: id,
      stream: 'out' as const,
      file: path,
    }));
    const seen: string[] = [];
    const clock = handTurnedClock();
    const stream = createLogStream(sources, ({ id }, line) => seen.push(`${id}:${line}`));
    stream.last(15);
    stream.follow(clock);
    expect(seen.splice(0)).toEqual(['0:a1', '0:a2', '1:b1']);
    appendFileSync(other, 'b2\n');
    clock.turn();
    appendFileSync(file, 'a3\n');
    clock.turn();
    expect(seen).toEqual(['1:b2', '0:a3']);
    stream.close();
  });
});

describe('nsv logs --nostream', () => {
  // The folder is made anew for each test, so its name is looked up when the daemon is asked.
  const daemon = { list: async () => [processView({ outFile: file, errorFile: join(folder, 'err') })] };
  const logs = async (...words: string[]) => (await run(['logs', '--nostream', ...words], { daemon })).stdout;

  beforeEach(() => {
    writeFileSync(file, `${numbered(20).join('\n')}\nunfinished`);
    writeFileSync(join(folder, 'err'), 'oh no\n');
  });

  it('shows the last 15 lines of each file, and the one that was begun', async () => {
    const lines = (await logs()).trimEnd().split('\n');
    expect(lines).toHaveLength(17);
    expect(lines[0]).toBe('0|web|0 | line 5');
    expect(lines.slice(-2)).toEqual(['0|web|0 | oh no', '0|web|0 | unfinished']);
  });

  it.each([
    [['--err'], '0|web|0 | oh no\n'],
    [['--err', '--raw'], 'oh no\n'],
    [['--out', '--lines', '1', '--raw'], 'line 19\nunfinished\n'],
    [['--out', '-n', '20', '--grep', '1[23]$', '--raw'], 'line 12\nline 13\n'],
    [['--err', '--json'], '{"id":0,"name":"web","slot":0,"stream":"err","line":"oh no"}\n'],
  ])('%j', async (words, expected) => {
    expect(await logs(...words)).toBe(expected);
  });

  it.each([
    [['--lines', 'many'], '--lines must be a whole number'],
    [['--grep', '('], '--grep Invalid regular expression'],
  ])('%j is refused before anything is read', async (words, message) => {
    await expect(logs(...words)).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message: expect.stringContaining(message),
    });
  });
});

function handTurnedClock(): Clock & { turn(): void } {
  let next = () => {};
  return {
    now: () => 0,
    wall: () => 0,
    after(_, run) {
      next = run;
      return () => {};
    },
    turn: () => next(),
  };
}
