// What `nsv deaths` prints.
import { describe, expect, it } from 'vitest';
import { renderDeath, renderDeaths } from '../../../../src/cli/render/deaths/deaths.ts';
import { widthOf } from '../../../../src/cli/render/width.ts';
import { deathView } from '../../../helpers/deaths.ts';

const plain = (_tone: string, text: string) => text;
const pipe = { tty: false, columns: 80, colour: false };

const views = [
  deathView({
    times: 11,
    slots: [0, 1],
    next: 'gave up',
    error: { headline: 'Error: a rather long \x1b[2J message of an error', frames: [] },
  }),
  deathView({
    number: 2,
    cause: 'asked',
    by: 'reload',
    error: null,
    exit: { code: 0, signal: null },
    next: 'replaced',
  }),
  deathView({
    number: 3,
    cause: 'probe',
    detail: 'http://:3000/health answered 500, 3 times',
    overdue: true,
    error: null,
  }),
  deathView({
    number: 4,
    cause: 'kernel OOM kill',
    certain: false,
    error: null,
    exit: { code: null, signal: 'SIGKILL' },
  }),
];

describe('the list of deaths', () => {
  it('is complete in a pipe, and cannot control the terminal', () => {
    expect(renderDeaths(views, pipe, plain).split('\n')).toEqual([
      'app  #  when                 times  slots  uptime  cause                      next       what happened',
      'web  1  2023-11-14 22:13:20     11  0,1        1s  uncaught error             gave up    Error: a rather long \\x1b[2J message of an error',
      'web  2  2023-11-14 22:13:20      1  0          1s  asked                      replaced   by reload',
      'web  3  2023-11-14 22:13:20      1  0          1s  probe                      restarted  http://:3000/health answered 500, 3 times: killed at the kill timeout',
      'web  4  2023-11-14 22:13:20      1  0          1s  kernel OOM kill, probably  restarted  signal SIGKILL',
    ]);
  });

  it.each([140, 80, 60])('fits a terminal of %i columns', (columns) => {
    const lines = renderDeaths(views, { tty: true, columns, colour: false }, plain).split('\n');
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(Math.max(columns, 70));
    for (const word of ['app', '#', 'times', 'cause', 'what happened']) expect(lines[0]).toContain(word);
  });

  it('is only a heading if nothing has died', () => {
    expect(renderDeaths([], pipe, plain)).toMatch(/^app .*what happened$/);
  });
});

describe('one death', () => {
  it('is shown in full, with calls of the app before those of Node', () => {
    expect(renderDeath(deathView({ times: 2, cutShort: 1, output: ['one', 'two \x07'] }), plain).split('\n')).toEqual([
      'death 1 of web',
      '  cause      uncaught error: an error that nothing in the program has caught',
      '  exit       code 1',
      '  when       2023-11-14T22:13:20.000Z',
      '  times      2, the last time at 2023-11-14T22:13:20.000Z',
      '  slot       0',
      '  id, pid    0, 4711',
      '  uptime     1s',
      '  memory     47.7mb, cpu 2%, 1s before',
      '  cut short  1 request in flight',
      '  next       restarted',
      '',
      '  Error: boom',
      '    at serve (/app/web.js:3)',
      '    at emit (node:events:518)',
      '',
      '  last output',
      '    one',
      '    two \\x07',
    ]);
  });

  it('is shown with the stack for a blocked loop', () => {
    const stack = [{ function: 'spin', file: '/app/web.js', line: 7, column: null }];
    const text = renderDeath(
      deathView({ cause: 'blocked loop', detail: 'blocked for 12 s', stack, error: null }),
      plain,
    );
    expect(text).toContain('  evidence  blocked for 12 s\n');
    expect(text).toContain('  where it was\n    at spin (/app/web.js:7)\n');
  });
});
