// `nsv config` and `settings` of `nsv/app`: what holds where, through rejections, blocked processes, and deaths of the daemon.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RuntimeSettingsView } from '../../../src/ipc/app/views.ts';
import { installNsv } from '../../helpers/app-library.ts';
import { eventually } from '../../helpers/eventually.ts';
import { FallingDaemon, type Moment } from '../../helpers/falling-daemon.ts';
import { homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();

beforeEach(() => installNsv(nsv.directory));

/** Each instance writes a line for what it has at its start, and one for each change. Instance 1 can be blocked. */
const source = `const { appendFileSync, existsSync, writeFileSync } = require('node:fs');
const { instance, settings } = require('nsv/app');
const say = (what) => appendFileSync('said-' + instance.slot, what + ' ' + settings.version + ' ' + JSON.stringify(settings.get()) + '\\n');
say('start');
settings.on('change', (values, { keys }) => say('change ' + keys));
settings.check(({ limit }) => { if (limit > 100) throw new RangeError('limit ' + limit + ' is above 100'); });
process.on('SIGUSR2', () => {
  if (instance.slot !== 1) return;
  writeFileSync('blocked', '');
  while (!existsSync('free')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
});
setInterval(() => {}, 60_000);`;

const start = (...words: string[]) => nsv.ok('start', nsv.script('app.cjs', source), '--name', 'web', ...words);

function said(slot: number): string[] {
  const file = join(nsv.directory, `said-${slot}`);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

const lastSaid = (slot: number) => said(slot).at(-1);

async function config(...words: string[]): Promise<RuntimeSettingsView> {
  const [view] = JSON.parse(await nsv.ok('config', 'web', '--json', ...words)) as RuntimeSettingsView[];
  return view!;
}

const versions = async () => (await config()).processes.map(({ version }) => version);

describe('nsv config', () => {
  it('changes the settings of all processes, including new ones, or rejects the whole change', async () => {
    await start('-i', '2');
    expect(await config()).toMatchObject({ version: 0, values: {}, file: null });
    await nsv.ok('config', 'set', 'web', 'limit=10', 'apiToken=s3cret', "name=8 o'clock", 'sizes={"s":1}');
    const values = '{"limit":10,"apiToken":"s3cret","name":"8 o\'clock","sizes":{"s":1}}';
    for (const slot of [0, 1]) {
      await eventually(() => lastSaid(slot) === `change limit,apiToken,name,sizes 1 ${values}`);
      expect(said(slot)[0]).toBe('start 0 {}');
    }
    expect(await versions()).toEqual([1, 1]);

    const rejected = await nsv.run('config', 'set', 'web', 'limit=500', 'name=x');
    expect(rejected.code).toBe(6);
    expect(rejected.stderr).toContain(
      'the runtime settings of "web" were not changed: limit 500 is above 100 (instances 0, 1)',
    );
    expect(await config()).toMatchObject({ version: 1, values: { limit: 10, apiToken: '********' } });
    expect((await config('--show-secrets')).values).toMatchObject({ apiToken: 's3cret' });
    expect(await nsv.ok('config', 'web')).not.toContain('s3cret');

    await nsv.ok('scale', 'web', '3');
    await eventually(() => lastSaid(2) === `start 1 ${values}`);
    await nsv.ok('config', 'unset', 'web', 'sizes', 'name');
    await eventually(() => lastSaid(2) === 'change name,sizes 2 {"limit":10,"apiToken":"s3cret"}');
    expect([0, 1].map((slot) => said(slot).length)).toEqual([3, 3]);
    const past = await nsv.ok('events', '--nostream', '--json');
    expect(past).toContain('"keys":["limit","apiToken","name","sizes"]');
    expect(nsv.log() + past).not.toContain('s3cret');
  });

  it('does not wait for a blocked process, which gets the latest version afterwards', { tags: 'full' }, async () => {
    await start('-i', '2');
    await nsv.ok('signal', 'SIGUSR2', 'web');
    await eventually(() => existsSync(join(nsv.directory, 'blocked')));
    expect(await nsv.ok('config', 'set', 'web', 'limit=20')).toContain('it gets version 1 when it responds');
    await nsv.ok('config', 'set', 'web', 'limit=30');
    await eventually(() => lastSaid(0) === 'change limit 2 {"limit":30}');
    expect(await versions()).toEqual([2, null]);
    expect(said(1)).toEqual(['start 0 {}']);
    writeFileSync(join(nsv.directory, 'free'), '');
    await eventually(() => lastSaid(1) === 'change limit 2 {"limit":30}');
    expect(said(1)).toHaveLength(2);
    await eventually(async () => String(await versions()) === '2,2');
  });

  it('sets values that the next daemon keeps, and sends to processes that missed them', { tags: 'full' }, async () => {
    await start('-i', '2');
    await nsv.ok('config', 'set', 'web', 'limit=10');
    await eventually(() => lastSaid(0)?.startsWith('change limit 1'));
    await nsv.ok('signal', 'SIGUSR2', 'web');
    await eventually(() => existsSync(join(nsv.directory, 'blocked')));
    await nsv.ok('config', 'set', 'web', 'limit=20');
    await nsv.replaceDaemon();
    await eventually(() => nsv.answers());
    writeFileSync(join(nsv.directory, 'free'), '');
    await eventually(() => lastSaid(1) === 'change limit 2 {"limit":20}');
    await eventually(async () => String(await versions()) === '2,2');
    await nsv.ok('config', 'set', 'web', 'limit=40');
    for (const slot of [0, 1]) await eventually(() => lastSaid(slot) === 'change limit 3 {"limit":40}');

    await nsv.ok('save');
    await nsv.ok('kill');
    for (const words of [['resurrect'], ['start', 'app.cjs', '--name', 'web', '--force']]) {
      const before = said(0).length;
      await nsv.ok(...words);
      await eventually(() => said(0).length > before);
      expect(lastSaid(0)).toBe('start 3 {"limit":40}');
    }
    await nsv.ok('delete', 'web');
    await start();
    await eventually(() => lastSaid(0) === 'start 0 {}');
    expect(readFileSync(join(nsv.home, 'state.json'), 'utf8')).not.toContain('runtimeSettings');
  });

  it('is applied completely or not at all if the daemon dies meanwhile', { tags: 'full' }, async () => {
    const daemon = new FallingDaemon(nsv);
    await daemon.launch();
    await start();
    const dies = async (call: Moment['call'], limit: number) => {
      // Everything else is written down, so that the next write is that of the change.
      await nsv.ok('reset', 'web');
      const dead = nsv.daemonPid;
      daemon.command({ call, word: 'state.json.tmp', how: 'kill' });
      expect((await nsv.run('config', 'set', 'web', `limit=${limit}`)).code).toBe(4);
      await eventually(() => daemon.hasFallen && nsv.daemonPid !== dead && nsv.answers());
      return eventually(async () => {
        const { values, processes } = await config();
        return processes.length === 1 && values;
      });
    };
    // Nothing is written down, so nobody has it.
    expect(await dies('open', 1)).toEqual({});
    // It is written down, and not sent: the next daemon sends it.
    expect(await dies('fsync', 2)).toEqual({ limit: 2 });
    await eventually(() => lastSaid(0) === 'change limit 1 {"limit":2}');
    expect(said(0)).toHaveLength(2);
  });

  it('reads the file whenever it changes, and ignores one that is invalid', { tags: 'full' }, async () => {
    const file = join(nsv.directory, 'settings.json');
    const write = (text: string) => {
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
    };
    await start();
    expect(await nsv.run('config', 'web', '--file', 'settings.json')).toMatchObject({ code: 8 });
    write('{ "limit": 1 /* few */ }');
    await nsv.ok('config', 'web', '--file', 'settings.json');
    await eventually(() => lastSaid(0) === 'change limit 1 {"limit":1}');
    expect(await nsv.run('config', 'set', 'web', 'limit=2')).toMatchObject({ code: 7 });
    write('{ "limit": 3,\n broken');
    const problem = () => eventually(async () => (await config()).problem ?? undefined);
    expect(await problem()).toContain('line 2');
    write('{ "limit": 1000 }');
    await eventually(async () => (await problem()).includes('limit 1000 is above 100'));
    expect(await config()).toMatchObject({ version: 1, values: { limit: 1 }, file });
    expect(await nsv.ok('list')).toContain('running, settings problem');
    // A change while there is no daemon counts, too.
    await nsv.killDaemonAndGuard();
    write('{ "limit": 4 }');
    await nsv.ok('list');
    await eventually(() => lastSaid(0) === 'change limit 2 {"limit":4}');
    expect(await config()).toMatchObject({ version: 2, problem: null });
    await nsv.ok('config', 'web', '--no-file');
    write('{ "limit": 5 }');
    await nsv.ok('config', 'set', 'web', 'more=true');
    await eventually(() => lastSaid(0) === 'change more 3 {"limit":4,"more":true}');
  });

  it('rejects programs other than Node, settings that are too large, and bad arguments', { tags: 'full' }, async () => {
    await nsv.sleeper('sleeps');
    expect(await nsv.fails(7, 'config', 'set', 'sleeps', 'a=1')).toContain('only Node programs can receive settings');
    await start();
    const large = await nsv.run('config', 'set', 'web', `a=${'x'.repeat(70_000)}`);
    expect([large.code, large.stderr]).toEqual([2, expect.stringContaining('65536 are allowed')]);
    expect(await nsv.run('config', 'set', 'web', 'a')).toMatchObject({ code: 2 });
    expect(await nsv.run('config', 'set', 'nobody', 'a=1')).toMatchObject({ code: 3 });
    expect(await nsv.run('config', '--file', 'x')).toMatchObject({ code: 2 });
  });
});
