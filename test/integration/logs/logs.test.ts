// `nsv logs`: which files it reads, how their lines look, and how several become one stream.
import { appendFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { logSources } from '../../../src/cli/logs/sources.ts';
import { lookForNewApps } from '../../../src/cli/logs/starts.ts';
import { createLogStream } from '../../../src/cli/logs/stream.ts';
import type { LineTimes, LogLook, LogOrigin, LogSink, LogSource } from '../../../src/cli/render/log-line.ts';
import { createLogLine } from '../../../src/cli/render/log-line.ts';
import { loadPaint } from '../../../src/cli/render/paint.ts';
import type { Clock } from '../../../src/shared/clock.ts';
import { directoryForEach } from '../../helpers/directory.ts';
import { eventually } from '../../helpers/eventually.ts';
import { processView, run } from '../../unit/cli/fake-context.ts';

const at = directoryForEach();
let file: string;

beforeEach(() => {
  file = at('web-0-out.log');
});

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);

describe('the files that nsv logs reads', () => {
  const two = [
    processView({ outFile: '/a', errorFile: '/a-err' }),
    processView({ id: 1, slot: 1, outFile: '/b', errorFile: '/b-err' }),
  ];

  it('are those of each process, by stream', () => {
    expect(logSources(two, ['out', 'err']).map(({ file }) => file)).toEqual(['/a', '/a-err', '/b', '/b-err']);
    expect(logSources(two, ['err']).map(({ file }) => file)).toEqual(['/a-err', '/b-err']);
  });

  it('include a file that instances share once, without a slot', () => {
    const merged = two.map((process) => ({ ...process, outFile: '/all', errorFile: '/all' }));
    expect(logSources(merged, ['out', 'err'])).toEqual([
      { id: 0, name: 'web', slot: null, stream: 'out', file: '/all' },
    ]);
  });

  it('include a file that apps share once, under all their names', () => {
    const shared = ['web', 'api', 'web'].map((name) => processView({ name, outFile: '/all', errorFile: '/err' }));
    expect(logSources(shared, ['out'])).toEqual([{ id: 0, name: 'web,api', slot: null, stream: 'out', file: '/all' }]);
  });

  it('exclude forwarded output and /dev/null', () => {
    const views = [processView({ outFile: null, errorFile: null }), processView({ outFile: '/dev/null' })];
    expect(logSources(views, ['out', 'err']).map(({ file }) => file)).toEqual(['/logs/web-0-err.log']);
  });
});

describe('a line of output', async () => {
  const plain = await loadPaint(false);
  const coloured = await loadPaint(true);
  const origin = { id: 3, name: 'web', slot: 1, stream: 'err' as const };

  const at = Date.UTC(2026, 10, 21, 18, 20, 5, 123);

  function rendered(look: Partial<LogLook>, known: LogOrigin[], paint = plain) {
    const all: LogLook = { format: 'prefixed', timestamp: false, terminal: false, colour: true, ...look };
    const render = createLogLine(all, known, paint);
    return (from: LogOrigin, line: string | Buffer, own?: number, times: Partial<LineTimes> = {}) =>
      Buffer.concat(render(from, Buffer.from(line), { own: () => own, seen: undefined, ...times }));
  }
  const shown = (...[look, known, paint]: Parameters<typeof rendered>) => {
    const render = rendered(look, known, paint);
    return (...words: Parameters<typeof render>) => render(...words).toString();
  };

  it('is prefixed with id, name and slot, all prefixes equally wide', () => {
    const render = shown({}, [origin, { ...origin, name: 'worker' }]);
    expect(render(origin, 'hello')).toBe('3|web|1    | hello');
    expect(render({ ...origin, slot: null }, 'hello')).toBe('3|web      | hello');
  });

  it('has a red bar on standard error, and keeps the colours of the app', () => {
    expect(shown({}, [origin], coloured)(origin, '\x1b[1mbold')).toBe(
      '\x1b[36m3|web|1\x1b[39m \x1b[31m|\x1b[39m \x1b[1mbold',
    );
  });

  it('has the colour of its app, and room for the apps that came later', () => {
    const render = shown({}, [origin], coloured);
    const later = { id: 4, name: 'worker', slot: 0, stream: 'out' } as const;
    expect(render(later, 'hello')).toBe('\x1b[32m4|worker|0\x1b[39m \x1b[32m|\x1b[39m hello');
    expect(render({ ...origin, slot: 2, stream: 'out' }, 'hello')).toContain('\x1b[36m3|web|2   \x1b[39m');
  });

  it('is unchanged when raw, byte for byte', () => {
    const bytes = Buffer.from([0xff, 0x00, 0x41, 0xc3]);
    expect(rendered({ format: 'raw' }, [origin], coloured)(origin, bytes)).toEqual(bytes);
  });

  it('is an object when JSON, with its time if it has one', () => {
    const render = shown({ format: 'json' }, [origin]);
    const object = { id: 3, app: 'web', slot: 1, stream: 'err', message: 'hello' };
    expect(JSON.parse(render(origin, 'hello', undefined, { seen: at }))).toEqual(object);
    expect(JSON.parse(render(origin, 'hello', at))).toEqual({ ...object, time: '2026-11-21T18:20:05.123Z' });
  });

  it('has the word "err" on standard error where there are no colours', () => {
    const out = { ...origin, stream: 'out' } as const;
    const render = shown({ colour: false }, [out, origin]);
    expect(render(origin, 'hello')).toBe('3|web|1 err | hello');
    expect(render(out, 'hello')).toBe('3|web|1     | hello');
    expect(shown({ colour: false }, [out])(out, 'hello')).toBe('3|web|1 | hello');
  });

  it('is prefixed with a time on request: its own, when it was seen, a bound from its file, or blanks', () => {
    const render = shown({ format: 'raw', timestamp: true }, [origin]);
    const stamp = /^2026-11-2[12] \d\d:20:05\.123 hello$/;
    const other = { notBefore: 0, notAfter: 0 };
    expect(render(origin, 'hello', at, { seen: 0, ...other })).toMatch(stamp);
    expect(render(origin, 'hello', undefined, { seen: at, ...other })).toMatch(stamp);
    expect(render(origin, 'hello', undefined, { ...other, notBefore: at })).toMatch(
      /^≥ 2026-11-2[12] \d\d:20:05 {2} hello$/,
    );
    expect(render(origin, 'hello', undefined, { notAfter: at })).toMatch(/^≤ 2026-11-2[12] \d\d:20:05 {2} hello$/);
    expect(render(origin, 'hello')).toBe(`${' '.repeat(23)} hello`);
  });
});

describe('several files', () => {
  const source = (path: string, id = 0): LogSource => ({ id, name: 'web', slot: id, stream: 'out', file: path });

  function shown(lines = 15) {
    const seen: string[] = [];
    const sink: LogSink = {
      emit: ({ id }, line) => void seen.push(`${id}:${line}`),
      flush: async () => {},
      tellUntimed: () => {},
    };
    const stream = createLogStream({ lines, linesUntimed: lines, since: undefined }, sink);
    onTestFinished(() => stream.close());
    return { seen, stream };
  }

  it('are shown one after the other when lines have no times, then as they grow', async () => {
    const other = at('other.log');
    writeFileSync(file, 'a1\na2\n');
    writeFileSync(other, 'b1\n');
    const { seen, stream } = shown();
    await stream.add([source(file), source(other, 1)]);
    expect(await stream.look()).toBe(true);
    expect(seen.splice(0)).toEqual(['0:a1', '0:a2', '1:b1']);
    expect(await stream.look()).toBe(false);
    appendFileSync(other, 'b2\n');
    await stream.look();
    appendFileSync(file, 'a3\n');
    await stream.look();
    expect(seen).toEqual(['1:b2', '0:a3']);
  });

  it('are shown in the order of their times, with stack traces kept together', async () => {
    const other = at('other.log');
    writeFileSync(file, '    at the end of a trace\n2026-11-21 10:00:01 a1\n    at x\n2026-11-21 10:00:03 a2\n');
    writeFileSync(other, '{"time":"2026-11-21T10:00:00.5"}\n{"time":"2026-11-21T10:00:02"}\n');
    const { seen, stream } = shown();
    await stream.add([source(file), source(other, 1)]);
    await stream.look();
    expect(seen.map((line) => line[0]).join('')).toBe('100010');
  });

  it('are shown from their last lines when they join, or whole if they are newer than the follower', async () => {
    writeFileSync(file, 'a1\na2\n');
    for (const [wall, expected] of [
      [Number.POSITIVE_INFINITY, ['1:a2']],
      [0, ['1:a1', '1:a2']],
    ] as const) {
      const { seen, stream } = shown(1);
      void stream.follow({ ...handTurnedClock(), wall: () => wall });
      await stream.add([source(file, 1)]);
      await stream.look();
      expect(seen).toEqual(expected);
    }
  });

  it('are joined once, under their latest name', async () => {
    writeFileSync(file, 'a1\n');
    const { seen, stream } = shown();
    await stream.add([source(file)]);
    await stream.look();
    await stream.add([source(file, 7)]);
    appendFileSync(file, 'a2\n');
    await stream.look();
    expect(seen).toEqual(['0:a1', '7:a2']);
  });

  it('are followed as the system reports changes, without polling', async () => {
    writeFileSync(file, '');
    const { seen, stream } = shown();
    await stream.add([source(file)]);
    const clock = handTurnedClock();
    void stream.follow(clock);
    appendFileSync(file, 'a1\n');
    await eventually(() => {
      clock.turn();
      return seen.length > 0;
    });
    expect(seen).toEqual(['0:a1']);
  });
});

describe('an app started while logs are followed', () => {
  it('is found, even if the daemon goes away and comes back', async () => {
    const clock = handTurnedClock();
    const answers = [undefined, [], [processView()]];
    const found: number[] = [];
    lookForNewApps(
      clock,
      async () => answers.shift(),
      (views) => void found.push(views.length),
    );
    for (const count of [1, 2, 3]) {
      clock.turn();
      await eventually(() => found.length >= count);
    }
    expect(found).toEqual([0, 0, 1]);
  });
});

describe('nsv logs --nostream', () => {
  // The folder is made anew for each test, so its name is looked up when the daemon is asked.
  const daemon = { logs: async () => [processView({ outFile: file, errorFile: at('err') })] };
  const logs = async (...words: string[]) => (await run(['logs', '--nostream', ...words], { daemon })).stdout;

  beforeEach(() => {
    writeFileSync(file, `${numbered(20).join('\n')}\nunfinished`);
    writeFileSync(at('err'), 'oh no\n');
  });

  it('shows the last 15 lines of each file, and an unfinished one', async () => {
    const lines = (await logs()).trimEnd().split('\n');
    expect(lines).toHaveLength(17);
    expect(lines[0]).toBe('0|web|0     | line 5');
    expect(lines.slice(-2)).toEqual(['0|web|0 err | oh no', '0|web|0     | unfinished']);
  });

  it.each([
    [['--err'], '0|web|0 err | oh no\n'],
    [['--err', '--raw'], 'oh no\n'],
    [['--out', '--lines', '1', '--raw'], 'line 19\nunfinished\n'],
    [['--out', '-n', '20', '--grep', '1[23]$', '--raw'], 'line 12\nline 13\n'],
    [['--err', '--json'], '{"id":0,"app":"web","slot":0,"stream":"err","message":"oh no"}\n'],
  ])('shows the lines that are asked for: %j', async (words, expected) => {
    expect(await logs(...words)).toBe(expected);
  });

  it('names apps that keep no logs, and fails when there are no others', async () => {
    const silent = processView({ name: 'api', outFile: '/dev/null', errorFile: '/dev/null' });
    const views = [...(await daemon.logs()), silent];
    const { stderr } = await run(['logs', '--nostream'], { daemon: { logs: async () => views } });
    expect(stderr).toBe('nsv: "api" keeps no logs: its output goes to /dev/null\n');
    const half = processView({ name: 'half', errorFile: '/dev/null' });
    for (const [words, view] of [
      [['logs'], silent],
      [['logs', '--err'], half],
    ] as const) {
      const attempt = run([...words], { daemon: { logs: async () => [view] } });
      await expect(attempt).rejects.toMatchObject({
        code: 'NO_LOGS',
        message: expect.stringContaining(`"${view.name}"`),
      });
    }
  });

  it.each([
    [['--lines', 'many'], '--lines must be a whole number'],
    [['--grep', '('], '--grep Invalid regular expression'],
  ])('refuses %j before anything is read', async (words, message) => {
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
    turn() {
      const due = next;
      next = () => {};
      due();
    },
  };
}
