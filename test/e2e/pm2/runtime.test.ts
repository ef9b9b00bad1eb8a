// nsv-pm2 under the name pm2-runtime: the command of most container images that use PM2.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground, namespace, type Ways, whyNoNamespace } from '../../helpers/foreground.ts';
import { homeForEach, root } from '../../helpers/nsv.ts';

const nsv = homeForEach();
const why = whyNoNamespace();
let running: Foreground | undefined;

beforeEach(() => symlinkSync(join(root, 'bin', 'pm2-compat'), join(nsv.directory, 'pm2-runtime')));
afterEach(() => running?.sends('SIGKILL'));

function runtime(line: string, ways: Ways = {}): Foreground {
  const [command = '', ...words] = line.split(' ');
  running = new Foreground(nsv, words, { command, program: [join(nsv.directory, 'pm2-runtime')], ...ways });
  return running;
}

const waits =
  "process.send('ready'); console.log(process.env.STAGE, process.argv.slice(2).join()); setInterval(() => {}, 1e6);";

describe('pm2-runtime', () => {
  it.each([
    ['start web.js -i 2 -- one two', 'undefined one,two\nundefined one,two\n'],
    ['ecosystem.config.json --env production --no-auto-exit --what', 'live a\n'],
  ])('runs apps in the foreground until it is asked to stop: %s', async (line, output) => {
    nsv.script('web.js', waits);
    const app = { script: 'web.js', args: 'a', env_production: { STAGE: 'live' }, log_type: 'raw' };
    nsv.script('ecosystem.config.json', JSON.stringify({ apps: [app] }));
    const { ended } = runtime(line);
    await eventually(() => running!.stdout === output);
    running!.sends('SIGTERM');
    expect(await ended).toMatchObject({ code: 143 });
  });

  it('restarts an app that ends with code 0, which has finished for nsv run', async () => {
    nsv.script('ends.js', waits.replace('setInterval', 'setTimeout').replace('1e6', '100'));
    const { ended } = runtime('ends.js --max-restarts 2 --restart-delay 1');
    expect(await ended).toMatchObject({ code: 1, stdout: 'undefined \n'.repeat(3) });
  });

  it('is correct as process 1', async ({ skip }) => {
    skip((await why) !== undefined, await why);
    const orphan = "require('child_process').spawn('sh', ['-c', 'sleep 0.1 & exit'], { detached: true }).unref();";
    nsv.script('web.js', `${orphan} ${waits}`);
    const { ended } = runtime('start web.js', { within: namespace });
    await eventually(() => running!.stdout !== '');
    const [view] = await eventually(async () => (await nsv.list()).length === 1 && (await nsv.list()));
    await nsv.ok('kill');
    expect(view).toMatchObject({ name: 'web', status: 'online' });
    expect(await ended).toMatchObject({ code: 143 });
  });
});
