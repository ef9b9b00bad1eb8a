import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadPaint } from '../../../../src/cli/render/paint.ts';
import { widthOf } from '../../../../src/cli/render/width.ts';
import { renderScreen } from '../../../../src/monit/render/screen.ts';
import { instance, instances, numbered, Stage } from '../models.ts';

const busy = (stage: Stage) => {
  stage.lists(
    instance(0, { cpu: 12.4, lastExit: { code: 3, signal: null } }),
    instance(1, { name: 'api', status: 'errored', pid: null, uptime: null, cpu: null, memory: null, ports: [] }),
  );
  const entries = [stage.entry(0, 'GET / 200'), stage.entry(0, 'boom', 'err'), stage.entry(0, 'x'.repeat(90))];
  return stage.happens({ type: 'logged', entries });
};

describe('the screen', () => {
  it('has the list, the selected process, its logs and the keys', () => {
    expect(busy(new Stage({ rows: 17 })).screen).toEqual([
      'nsv monit  2 processes, 1 online, 1 errored  cpu 12%  memory 50.0mb',
      '  id  name  mode    slot  pid  uptime  restarts  status     cpu    memory  ports',
      '>  0  web   kernel     0  100      1m         2  online     12%    50.0mb  3000',
      '   1  api   kernel     1    -       -         2  errored      -         -  -',
      `── 0|web|0  online for 1m, pid 100 ${'─'.repeat(45)}`,
      'cpu                         ▂ 12%   memory                         ▆ 50.0mb',
      'listens on 3000 · 2 restarts · last exit: code 3 · kernel mode, 1 instance · na…',
      `── logs of 0|web|0 ${'─'.repeat(61)}`,
      '| GET / 200',
      '! boom',
      `| ${'x'.repeat(77)}…`,
      '',
      '',
      '',
      '',
      '',
      'q quit  ? help  tab all/one  r restart  l reload  s stop/start  space pause',
    ]);
  });

  it('has a line about queues if there are any', () => {
    const counts = { pending: 12, running: 2, completed: 340, failed: 1, paused: false };
    const queue = { name: 'exports', place: '/q', processes: [], counts, perMinute: 3 };
    const silent = { ...queue, name: 'emails', counts: null, perMinute: null };
    const paused = { ...queue, name: 'imports', counts: { ...counts, failed: 0, paused: true } };
    const stage = new Stage({ rows: 17, columns: 100 }).lists(instance(0));
    stage.happens({ type: 'counted', queues: [silent, queue, paused] });
    expect(stage.screen[3]).toBe(
      'queues  emails no answer  exports 12 pending, 2 running, 1 failed  imports 12 pending, 2 running, p…',
    );
    expect(stage.screen[4]).toMatch(/^── 0\|web\|0/);
    expect(stage.screen).toHaveLength(17);
  });

  it('has a label before each line if the logs of all processes are shown', () => {
    const { screen } = busy(new Stage({ rows: 17 }))
      .prints(1, 'up')
      .presses('tab');
    expect(screen.slice(7, 12)).toEqual([
      `── logs of all processes ${'─'.repeat(55)}`,
      '0|web|0 | GET / 200',
      '0|web|0 ! boom',
      `0|web|0 | ${'x'.repeat(69)}…`,
      '1|web|1 | up',
    ]);
  });

  it('shows how far back paused logs are, and their filter', () => {
    const stage = new Stage({ rows: 14 }).lists(instance(0)).prints(0, ...numbered(20));
    stage.presses('/', 'l', 'i', 'return', 'pageup');
    expect(stage.screen.find((row) => row.startsWith('── logs'))).toMatch(
      /^── logs of 0\|web\|0 {2}with "li" {2}paused, 9 lines below ─+$/,
    );
  });

  it('shows why the selected process is not running', () => {
    const reason = 'restarted 10 times within 1m';
    expect(new Stage().lists(instance(0, { status: 'errored', reason })).screen).toContain(reason);
  });

  it.each([
    [{ outFile: null, errorFile: null }, /nsv passes its output through/],
    [{ outFile: '/dev/null', errorFile: '/dev/null' }, /its output goes to \/dev\/null/],
    [{}, /no lines yet/],
  ])('shows why there are no lines: %j', (files, why) => {
    expect(new Stage().lists(instance(0, files)).screen.join('\n')).toMatch(why);
  });

  it('shows the part of a long list that the selected one is in', () => {
    const stage = new Stage().lists(...instances(60));
    const ids = () => stage.screen.flatMap((row) => /^(?:> | {2}) ?(\d+) {2}web/.exec(row)?.[1] ?? []).map(Number);
    expect(ids()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    for (let press = 0; press < 30; press += 1) stage.presses('j');
    expect(ids()).toEqual([27, 28, 29, 30, 31, 32, 33]);
    for (let press = 0; press < 40; press += 1) stage.presses('j');
    expect(ids()).toEqual([53, 54, 55, 56, 57, 58, 59]);
  });

  it('shows the CPU usage of the last minute', () => {
    const stage = new Stage({ columns: 200 });
    for (let second = 0; second < 70; second += 1) stage.lists(instance(0, { cpu: second < 40 ? 100 : 0 }));
    expect(stage.screen.find((row) => row.startsWith('cpu'))).toContain(`${'█'.repeat(30)}${'▁'.repeat(30)}`);
  });
});

describe('a screen of any size', () => {
  const sizes = [
    [200, 50],
    [80, 24],
    [40, 10],
    [20, 5],
    [7, 3],
    [2, 2],
    [1, 1],
  ] as const;
  const modes = [[], ['?'], ['r'], ['/', '健'], ['tab', 'w'], ['pageup'], ['tab', 'home', 'pagedown']];

  it.each(sizes.flatMap((size) => modes.map((keys) => [...size, keys] as const)))(
    'has at most %i columns and exactly %i rows after %j',
    async (columns, rows, keys) => {
      const stage = new Stage({ columns, rows }).lists(...instances(8), instance(8, { name: '注文サービス' }));
      stage.prints(0, ...hostile, ...numbered(60)).presses(...keys);
      const screen = renderScreen(stage.model, await loadPaint(true)).map(stripVTControlCharacters);
      expect(screen).toHaveLength(rows);
      for (const row of screen) expect(widthOf(row)).toBeLessThanOrEqual(columns);
    },
  );

  it('has all its rows even if it is empty', () => {
    for (const [columns, rows] of sizes) expect(new Stage({ columns, rows }).screen).toHaveLength(rows);
  });
});

/** What would move the cursor, clear the screen, turn the text round, or be wider than it is long. */
const hostile = [
  '\x1b[2J\x1b[1;1H',
  'a\rb\x07\x08',
  '\x9b2J',
  '\u202eabc',
  '健康'.repeat(60),
  '👨‍👩‍👧❤️',
  'e\u0301'.repeat(99),
];

describe('a line of a log', () => {
  const ranges = /[\0-\x1f\x7f-\x9f\p{Cf}]|\ufe0f/u;

  it.each(hostile)('cannot control the terminal: %j', (text) => {
    const stage = new Stage().lists(instance(0)).prints(0, text);
    for (const row of stage.screen) expect(row).not.toMatch(ranges);
  });

  it('cannot control the terminal by the name of its app', () => {
    const stage = new Stage().lists(instance(0, { name: '\x1b[2J\u202e' }));
    for (const row of stage.screen) expect(row).not.toMatch(ranges);
  });
});
