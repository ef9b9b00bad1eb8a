// No process of root obeys the variables of the dynamic linker in the environment of another user's app. With LD_DEBUG_OUTPUT, the linker
// writes a file in each process that obeys (ld.so(8)), and the file belongs to the user of that process.
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { homeForEach, written } from '../../helpers/nsv.ts';
import { finish } from '../../helpers/program.ts';

const nobody = attackerForEach();
const nsv = homeForEach();

/** Only glibc has this variable. */
async function whyNoLoader(): Promise<string | undefined> {
  const { stderr } = await finish('/bin/sh', ['-c', ':'], { env: { LD_DEBUG: 'statistics' } });
  const reason = stderr.includes('runtime linker') ? undefined : 'the dynamic linker does not know LD_DEBUG';
  if (reason) console.warn(`skipped: ${reason}`);
  return reason;
}

const why = whyNoOtherUser ?? (await whyNoLoader());

/** Variables of the app; they stand for LD_PRELOAD. */
function traced(): Record<string, string> {
  mkdirSync(nobody.at('traces'));
  chmodSync(nobody.at('traces'), 0o777);
  return { LD_DEBUG: 'statistics', LD_DEBUG_OUTPUT: nobody.at('traces/of') };
}

const owners = () => [
  ...new Set(readdirSync(nobody.at('traces')).map((file) => statSync(nobody.at(`traces/${file}`)).uid)),
];
const onlyNobody = () => expect(owners()).toEqual([nobody.uid]);

function app(settings: object): string {
  const all = {
    name: 'a',
    script: '/bin/sh',
    args: ['-c', 'echo up; exec sleep 600'],
    cwd: nobody.directory,
    uid: 'nobody',
  };
  return nsv.script('nsv.config.json', JSON.stringify({ apps: [{ ...all, ...settings }] }));
}

/** A command that leaves a file if it has the variables. */
const says = (what: string) => `[ "$LD_DEBUG" ] && /bin/echo ${what} >${nobody.at(what)}`;

describe.skipIf(why)("no process of root obeys the environment of another user's app", () => {
  it.each<[string, object]>([
    ['by itself', {}],
    ['with a nice value and limits', { nice: 5, ulimit: ['nofile=64'] }],
    ['with logs in a directory of that user', { out_file: 'out.log', error_file: 'error.log' }],
    ['in a directory of root', { cwd: '/' }],
    ['with an inherited socket', { listen: ['127.0.0.1:0'] }],
    ['as a Node program', { script: 'app.js', args: [], wait_ready: false }],
  ])('when the app starts %s', async (_, settings) => {
    await nobody.sh('echo "setInterval(() => {}, 1000)" >app.js');
    await nsv.ok('start', app({ env: traced(), ...settings }));
    await eventually(() => owners().length > 0);
    await nsv.ok('kill');
    onlyNobody();
  });

  it('when it comes from an env file of that user', async () => {
    const variables = Object.entries(traced()).map((pair) => pair.join('='));
    await nobody.sh(`printf '%s\\n' ${variables.join(' ')} >.env`);
    await nsv.ok('start', app({ env_file: nobody.at('.env') }));
    await nsv.ok('kill');
    onlyNobody();
  });

  it('when it comes from a package script of that user', async () => {
    const start = Object.entries(traced()).map((pair) => pair.join('='));
    await nobody.sh(
      `echo '{"scripts":{"start":"${start.join(' ')} node app.js"}}' >package.json; echo "setInterval(() => {}, 1000)" >app.js`,
    );
    await nsv.ok('start', 'npm start', '--cwd', nobody.directory, '--uid', 'nobody', '--name', 'a');
    await nsv.ok('kill');
    onlyNobody();
  });

  it('when hooks, probes and commands of the app run', async () => {
    const ready_probe = { exec: says('probe'), interval: '100ms' };
    const hooks = { pre_start: says('hook'), on_death: says('death'), on_giveup: says('giveup') };
    const args = ['-c', `until [ -e ${nobody.at('end')} ]; do sleep 0.02; done; exit 1`];
    await nsv.ok('start', app({ env: traced(), args, ready_probe, ...hooks, max_restarts: 0 }));
    await nobody.sh('touch end');
    for (const what of ['hook', 'probe', 'death', 'giveup']) expect(await written(nobody.at(what))).toBe(`${what}\n`);
    await nsv.ok('kill');
    onlyNobody();
  });

  it('when logs of the app are formatted, rotated and emptied', async () => {
    const file = nobody.at('out.log');
    await nsv.ok('start', app({ env: traced(), out_file: file, time: true }));
    await eventually(() => nobody.text('out.log').includes('up'));
    await nsv.ok('logs', 'rotate');
    await eventually(() => readdirSync(nobody.directory).filter((name) => name.startsWith('out')).length > 1);
    await nsv.ok('flush');
    await nsv.ok('kill');
    onlyNobody();
  });

  it('when "nsv run" starts the app', async () => {
    const words = ['-c', 'exit 0'];
    const { code } = await nsv.run('run', app({ env: traced(), args: words, autorestart: false }));
    expect(code).toBe(0);
    onlyNobody();
  });
});

describe.skipIf(whyNoOtherUser)("another user's Node", () => {
  it('is asked for its version as that user, without the environment of root', async () => {
    await nobody.sh(
      `printf '#!/bin/sh\\n{ id -u; echo $SECRET; } >>${nobody.at('asked')}\\nexec ${process.execPath} "$@"\\n' >node; chmod +x node; echo "setInterval(() => {}, 1000)" >app.js`,
    );
    const words = ['start', nobody.at('app.js'), '--interpreter', nobody.at('node'), '--uid', 'nobody'];
    expect(await nsv.runWith({ env: { SECRET: 'of root' } }, ...words)).toMatchObject({ code: 0 });
    const before = nobody.text('asked').length;
    expect((await nsv.runWith({ env: { SECRET: 'of root' } }, 'show', 'app')).stdout).toContain(
      process.version.slice(1),
    );
    expect(nobody.text('asked').length).toBeGreaterThan(before);
    expect(new Set(nobody.text('asked').split('\n'))).toEqual(new Set([String(nobody.uid), '']));
  });
});
