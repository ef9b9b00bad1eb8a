import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../../../../src/cli/render/table/columns.ts';
import { renderProcesses } from '../../../../../src/cli/render/table/processes.ts';
import { widthOf } from '../../../../../src/cli/render/width.ts';
import { processView } from '../../fake-context.ts';

const gone = { pid: null, uptime: null, cpu: null, memory: null };
const processes = [
  processView(),
  processView({ id: 1, slot: 1, ...gone, ports: [], status: 'waiting restart' }),
  processView({ id: 12, name: 'a-rather-long-name-of-an-app', mode: 'fork', status: 'errored' }),
];
const render = (columns: number, { colour = false, tty = true } = {}) =>
  renderProcesses(processes, { columns, colour, tty });
const headOf = (table: string) =>
  table
    .split('\n')[1]!
    .split('│')
    .map((cell) => cell.trim())
    .filter(Boolean);

describe('on a terminal', () => {
  it('a wide table has every default column', async () => {
    const columns = 'id name mode slot pid uptime restarts status cpu memory ports';
    expect(headOf(await render(140))).toEqual(columns.split(' '));
    expect(await render(140)).toContain('│  0 │ web ');
  });

  it.each([140, 100, 80, 60, 40])('no line is wider than %i columns', async (columns) => {
    for (const line of (await render(columns)).split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
  });

  it.each([80, 60, 40, 10])('id, name and status stay at %i columns', async (columns) => {
    expect(headOf(await render(columns))).toEqual(expect.arrayContaining(['id', 'status']));
    expect(headOf(await render(columns)).join()).toMatch(/id,na/);
  });

  it('the restarts of an app that failed stay at 80 columns, and so does its slot if its name is short', async () => {
    const failed = {
      ...gone,
      restarts: 10,
      ports: [],
      reason: 'Error: the database is down',
    };
    const heads = async (name: string) =>
      headOf(
        await renderProcesses([processView({ name, ...failed, status: 'errored' })], {
          columns: 80,
          colour: false,
          tty: true,
        }),
      );
    expect(await heads('api')).toEqual(expect.arrayContaining(['slot', 'restarts', 'status', 'ports']));
    expect(await heads('a-longer-name')).toEqual(expect.arrayContaining(['restarts', 'status', 'ports']));
  });

  it('a terminal without frames gets the rows of a pipe', async () => {
    const terminal = { columns: 40, colour: false, tty: true, isPlain: true } as const;
    expect(await renderProcesses(processes, terminal)).toBe(await render(40, { tty: false }));
  });

  it('names are cut in the middle before columns are dropped, and cut further after that', async () => {
    expect(await render(130)).toContain('a-rather-long-name-of-an-app');
    expect(headOf(await render(100))).toContain('memory');
    expect(await render(100)).toMatch(/ a-rather-lo\S*…\S*f-an-app /);
    expect(await render(40)).toMatch(/ a-rat\S*…\S*-app /);
  });

  const lengths = Array.from({ length: 60 }, (_, index) => index + 1);
  const named = [...'x漢é'].flatMap((letter) => lengths.map((length) => letter.repeat(length)));

  it('no line is wider than the terminal, whatever its width and the names', async () => {
    for (let columns = 40; columns <= 300; columns += columns < 60 ? 1 : 7) {
      for (const names of [named, ...named.filter((_, index) => index % 19 === 0).map((name) => [name])]) {
        const table = await renderProcesses(
          names.map((name, id) =>
            processView({ name, id, status: 'waiting restart', ports: ['/run/a b.sock', '[::]:80'] }),
          ),
          { columns, colour: false, tty: true },
        );
        const widths = new Set(table.split('\n').map(widthOf));
        expect([...widths].length, `${columns} columns`).toBe(1);
        expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
      }
    }
  });

  it('spare room goes to the names', async () => {
    const [, , , , last = ''] = (await render(60)).split('\n').slice(1);
    expect(widthOf(last)).toBeGreaterThan(55);
  });

  it('each row has one line', async () => {
    expect((await render(140)).split('\n')).toHaveLength(processes.length + 4);
  });

  it('colours mark the status and change nothing else', async () => {
    expect(await render(140, { colour: true })).toContain('\x1b[31merrored\x1b[39m');
    expect(stripVTControlCharacters(await render(140, { colour: true }))).toBe(await render(140));
    expect(await render(140)).not.toContain('\x1b');
  });
});

describe('a table in a pipe', () => {
  it('has aligned columns, no frames, no colours, and drops nothing for width', async () => {
    expect(await render(40, { tty: false })).toBe(
      [
        'id  name                          mode    slot   pid  uptime  restarts  status           cpu  memory  ports',
        ' 0  web                           kernel     0  4242      1m         2  online            1%  50.0mb  3000',
        ' 1  web                           kernel     1     -       -         2  waiting restart    -       -  -',
        '12  a-rather-long-name-of-an-app  fork       0  4242      1m         2  errored           1%  50.0mb  3000',
      ].join('\n'),
    );
  });

  it('has colours when they are forced', async () => {
    expect(await render(80, { tty: false, colour: true })).toContain('\x1b[32monline');
    expect(stripVTControlCharacters(await render(80, { tty: false, colour: true }))).toBe(
      await render(80, { tty: false }),
    );
  });
});

describe('requested columns', () => {
  const rendered = (list: string, terminal = { columns: 100, colour: false, tty: true }) =>
    renderProcesses(processes, terminal, columnsOf(list));

  it('appear alone, in the given order, each once', async () => {
    expect(headOf(await rendered('memory,name, PID,name'))).toEqual(['memory', 'name', 'pid']);
    expect((await rendered('name,pid', { columns: 40, colour: false, tty: false })).split('\n')[1]).toBe(
      'web                           4242',
    );
  });

  it('may include one that is not shown by default', async () => {
    expect(await rendered('name,namespace')).toContain('default');
    expect(await render(300)).not.toContain('namespace');
  });

  it.each(['', 'nmae', 'name,', 'name;pid'])('are refused if they are unknown, with the names of all: %j', (list) => {
    expect(() => columnsOf(list)).toThrow(
      expect.objectContaining({
        code: 'BAD_OPTION',
        message: expect.stringMatching(/no column ".*"; .*id, name, namespace/),
      }),
    );
  });
});

it('control characters in names and ports never reach the terminal', async () => {
  const evil = [processView({ name: 'a\x1b[2Jb', ports: ['/run/\x07.sock'] })];
  const table = await renderProcesses(evil, { columns: 200, colour: false, tty: true });
  expect(table).not.toMatch(/[\x1b\x07]/);
  expect(table).toContain('a\\x1b[2Jb');
});

describe('an app that crashes repeatedly', () => {
  const at = 1_700_000_000_000;
  const lastDeath = { cause: 'uncaught error', about: 'Error: no \x1b[2J room', times: 11, at, lastAt: at } as const;
  const view = (rest: Parameters<typeof processView>[0]) => [processView({ lastDeath, status: 'errored', ...rest })];
  const shown = async (columns: number, tty = true, rest = {}) =>
    stripVTControlCharacters(await renderProcesses(view(rest), { columns, colour: false, tty }));

  it('shows its error beside the status if there is room', async () => {
    expect(await shown(160)).toContain('errored: Error: no \\x1b[2J room (11 times)');
    const narrow = await shown(80);
    expect(narrow).toContain('errored ');
    expect(narrow).not.toContain('Error:');
    expect(Math.max(...narrow.split('\n').map(widthOf))).toBeLessThanOrEqual(80);
  });

  it('shows only the status in a pipe, for scripts', async () => {
    expect(await shown(160, false)).not.toContain('Error:');
  });

  it('no longer shows the error after it has run for a while or was stopped', async () => {
    expect(await shown(160, true, { status: 'online', uptime: 2_000 })).toContain('online: Error:');
    expect(await shown(160, true, { status: 'online', uptime: 70_000 })).not.toContain('Error:');
    expect(await shown(160, true, { status: 'stopped', uptime: null })).not.toContain('Error:');
  });
});
