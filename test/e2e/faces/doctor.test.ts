// What `nsv doctor` finds in homes that are really broken.
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Examination, Finding } from '../../../src/shared/findings.ts';
import { eventually } from '../../helpers/eventually.ts';
import { fieldsOfStat, homeForEach, isAlive } from '../../helpers/nsv.ts';

const nsv = homeForEach();
const at = (name: string) => join(nsv.home, name);
const sleeper = (...options: string[]) => nsv.sleeper('one', ...options);

/** Its exit code must say the same. */
async function examine(): Promise<Finding[]> {
  const { code, stdout } = await nsv.run('doctor', '--json');
  const { findings } = JSON.parse(stdout) as Examination;
  expect(code).toBe(findings.some(({ level }) => level === 'problem') ? 9 : 0);
  return findings;
}

const codes = async () => (await examine()).map(({ code }) => code);

function replaceByFile(directory: string): void {
  rmSync(directory, { recursive: true });
  writeFileSync(directory, '');
}

describe('a healthy home', () => {
  it('is reported in one line that lists what was checked', async () => {
    await sleeper('-i', '2');
    await nsv.ok('save');
    const text = await nsv.ok('doctor');
    expect(text).toMatch(
      /^no problems found: nsv .* the daemon \(pid \d+\); state and saved list; 1 app, 2 processes; logs\n$/,
    );
  });

  it('is not created if it does not exist yet', { tags: 'full' }, async () => {
    expect(await nsv.ok('doctor')).toContain('does not exist yet');
    expect(existsSync(nsv.home)).toBe(false);
  });

  it('is left unchanged', { tags: 'full' }, async () => {
    await sleeper();
    await nsv.killDaemonAndGuard();
    const before = statSync(nsv.home).mtimeMs;
    expect(await codes()).toEqual(['daemon-dead']);
    expect(statSync(nsv.home).mtimeMs).toBe(before);
    expect(isAlive(nsv.daemonPid!)).toBe(false);
  });
});

describe('an unsafe home', { tags: 'full' }, () => {
  it.each([
    ['others may write it', () => chmodSync(nsv.home, 0o777), 'home-unsafe'],
    ['others may read it', () => chmodSync(nsv.home, 0o755), 'home-open'],
    ['it is a file', () => replaceByFile(nsv.home), 'home-unsafe'],
    ['others can replace it', () => chmodSync(dirname(nsv.home), 0o777), 'home-unsafe'],
  ])('is reported: %s', async (_title, spoil, code) => {
    mkdirSync(nsv.home, { mode: 0o700 });
    spoil();
    expect(await codes()).toEqual([code]);
  });
});

describe('a daemon', () => {
  it('is reported if it is suspended', async () => {
    await sleeper();
    const pid = nsv.daemonPid!;
    process.kill(pid, 'SIGSTOP');
    const [finding] = await examine();
    process.kill(pid, 'SIGCONT');
    expect(finding).toMatchObject({ code: 'daemon-stopped', remedy: `run "kill -CONT ${pid}"` });
  });

  it('is reported if its socket was deleted', { tags: 'full' }, async () => {
    await sleeper();
    renameSync(at('daemon.sock'), at('elsewhere'));
    const found = await codes();
    renameSync(at('elsewhere'), at('daemon.sock'));
    expect(found).toContain('daemon-without-socket');
  });

  it('is reported if it has lost its guard, and if it has died with it', { tags: 'full' }, async () => {
    await sleeper();
    await nsv.ok('save');
    const guard = Number(fieldsOfStat(nsv.daemonPid!)[1]);
    process.kill(guard, 'SIGKILL');
    await eventually(() => !isAlive(guard));
    expect(await codes()).toEqual(['guard-gone']);
    await nsv.killDaemon();
    expect(await codes()).toEqual(['daemon-dead']);
    await nsv.list();
    expect(await codes()).toEqual([]);
  });

  it('causes only advice if it has died and was replaced', { tags: 'full' }, async () => {
    await sleeper();
    await nsv.ok('save');
    await nsv.replaceDaemon();
    expect(await codes()).toEqual(['daemon-crashes']);
  });

  it('is reported with the number of deaths if its guard gave up on it', { tags: 'full' }, async () => {
    await sleeper();
    for (let deaths = 0; deaths < 5; deaths += 1) await nsv.replaceDaemon();
    await nsv.killDaemon();
    await eventually(() => nsv.log().includes('the guard gave up'));
    const [finding] = (await examine()).filter(({ code }) => code === 'daemon-dead');
    expect(finding?.what).toContain('the daemon died 6 times within 60 s');
  });
});

describe('the state and the saved list', { tags: 'full' }, () => {
  it('are reported if they are damaged, and if they were set aside', async () => {
    await sleeper();
    // Each is answered when it is written, so that the last state but one knows the process too.
    await nsv.ok('restart', 'one');
    await nsv.ok('reset', 'one');
    await nsv.killDaemonAndGuard();
    writeFileSync(at('state.json'), '');
    writeFileSync(at('saved.json'), '{}');
    expect(await codes()).toEqual(['state-broken', 'saved-broken', 'daemon-dead']);
    await nsv.list();
    await nsv.run('resurrect');
    const found = await examine();
    expect(found.map(({ code }) => code)).toEqual(['state-set-aside', 'saved-set-aside', 'daemon-warnings', 'unsaved']);
    expect(found[0]?.what).toMatch(/moved to .*state\.json\.bad\S* \d+m?s ago/);
  });
});

describe('an app', () => {
  it('is reported if it has failed, lost its file, or has a suspended process', async () => {
    const script = nsv.script('fails.sh', '#!/bin/sh\nexit 1\n');
    await nsv.run('start', script, '--name', 'fails', '--max-restarts', '0');
    rmSync(script);
    await sleeper();
    const [pid] = (await nsv.list('one')).map((view) => view.pid!);
    process.kill(pid!, 'SIGSTOP');
    await nsv.ok('save');
    const found = await examine();
    process.kill(pid!, 'SIGCONT');
    expect(found.map(({ code, what }) => [code, /"(\w+)"/.exec(what)?.[1]])).toEqual([
      ['given-up', 'fails'],
      ['app-paused', 'one'],
      ['unrunnable', 'fails'],
    ]);
  });

  it('is reported as a stray if nsv has lost all records of it', { tags: 'full' }, async () => {
    await sleeper();
    const [view] = await nsv.list();
    await nsv.killDaemonAndGuard();
    for (const file of ['state.json', 'state.json.1', 'daemon.pid']) rmSync(at(file), { force: true });
    const [finding] = await examine();
    expect(finding).toMatchObject({
      code: 'strays',
      what: expect.stringContaining(`pid ${view?.pid} was started by nsv`),
    });
    process.kill(view!.pid!, 'SIGKILL');
    await eventually(() => !isAlive(view!.pid!));
  });

  it('is reported if it cannot write to its log', { tags: 'full' }, async () => {
    await sleeper('--output', '/dev/null');
    rmSync(at('logs'), { recursive: true });
    expect(await codes()).toContain('log-unwritable');
    await nsv.ok('stop', 'one');
    // With the next start it is there again.
    expect(await codes()).not.toContain('log-unwritable');
    writeFileSync(at('logs'), '');
    expect(await codes()).toContain('log-unwritable');
    rmSync(at('logs'));
    mkdirSync(at('logs'));
  });
});
