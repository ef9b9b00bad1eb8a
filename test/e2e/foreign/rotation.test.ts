// Rotation of a log in a directory that the user of the app can write.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rotatedName } from '../../../src/shared/rotations.ts';
import { eventually } from '../../helpers/eventually.ts';
import { asNobody, attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { homeForEach, isAlive, written } from '../../helpers/nsv.ts';
import { linesThrough, rotations } from '../../helpers/rotated.ts';

// The directory goes when the apps are gone, which would create it again.
const nobody = attackerForEach();
const nsv = homeForEach();

const secretText = 'secret of root\n';

/** Starts a shell command as nobody, whose standard output is that log. */
async function start(command: string, log = nobody.at('logs/a.log'), ...options: string[]): Promise<string> {
  await nobody.sh('mkdir -p logs');
  const words = [...asNobody, '-o', log, '-e', '/dev/null'];
  await nsv.ok('start', '/bin/sh', ...words, ...options, '--', '-c', command);
  await written(log);
  return log;
}

const talker = 'echo one; exec sleep 600';

/** Lets a directory of root's take the place of the one that the log is in. */
const swapDirectory = () => nobody.sh(`mv logs old && ln -s ${nobody.roots} logs`);

describe.skipIf(whyNoOtherUser)('a log in a directory of the user of the app', () => {
  it('is rotated, compressed and deleted as that user, without losing a line', { tags: 'full' }, async () => {
    const log = await start('i=0; while :; do echo $i; i=$((i+1)); done', undefined, '--log-keep', '2');
    for (let times = 0; times < 4; times += 1) await nsv.ok('logs', 'rotate', 'a');
    await nsv.ok('stop', 'a');
    await eventually(() => rotations(log).length === 2 && rotations(log).at(-1)!.isCompressed);
    const lines = linesThrough(log).map(Number);
    expect(lines.every((line, index) => line === lines[0]! + index)).toBe(true);
    for (const { name } of rotations(log))
      expect(statSync(nobody.at(`logs/${name}`))).toMatchObject({ uid: nobody.uid });
    await eventually(() => !readdirSync(nsv.home).some((name) => name.startsWith('rotation')));
  });

  it('is not truncated through a link to a file of root', async () => {
    const secret = nobody.secret();
    const log = await start(talker);
    await nobody.sh(`ln -sf ${secret} ${log}`);
    const { code, stderr } = await nsv.run('logs', 'rotate', 'a');
    expect(readFileSync(secret, 'utf8')).toBe(secretText);
    expect(stderr).toContain('permission denied');
    expect(code).not.toBe(0);
  });

  it('is not truncated in a directory of root that a link leads to', { tags: 'full' }, async () => {
    const secret = nobody.secret('a.log');
    await start(talker);
    await swapDirectory();
    await nsv.run('logs', 'rotate', 'a');
    expect(readFileSync(secret, 'utf8')).toBe(secretText);
    expect(readdirSync(nobody.roots)).toEqual(['a.log']);
  });

  it('has old rotations deleted only where its user may delete them', { tags: 'full' }, async () => {
    await start(talker, undefined, '--log-keep', '0');
    const old = nobody.secret(rotatedName('a.log', 1_000));
    writeFileSync(join(nobody.roots, 'a.log'), 'one\n', { mode: 0o666 });
    await swapDirectory();
    await nsv.run('logs', 'rotate', 'a');
    await nsv.ok('delete', 'a');
    await nsv.ok('kill');
    expect(existsSync(old)).toBe(true);
  });

  it('does not expose a file of root through compression', { tags: 'full' }, async () => {
    const secret = nobody.secret();
    const log = await start('while :; do echo line; sleep 0.01; done');
    await nobody.sh(`ln -s ${secret} ${rotatedName(log, 1_000)}`);
    await nsv.ok('logs', 'rotate', 'a');
    await nsv.ok('kill');
    expect(readdirSync(nobody.at('logs')).filter((name) => name.endsWith('.gz'))).toEqual([]);
    expect(readFileSync(secret, 'utf8')).toBe(secretText);
  });

  it('is reopened as that user', { tags: 'full' }, async () => {
    const log = await start('while :; do echo line; sleep 0.01; done');
    await nobody.sh(`mv ${log} ${log}.1`);
    await nsv.ok('logs', 'reopen', 'a');
    expect(statSync(`${log}.1`).uid).toBe(nobody.uid);
    await written(log);
  });
});

describe.skipIf(whyNoOtherUser)('a log in the home', { tags: 'full' }, () => {
  it('is not searched for where the app of another user has redirected its output', async () => {
    const decoy = nobody.at('a-0-out.log.decoy');
    await nsv.ok('start', '/bin/sh', ...asNobody, '--', '-c', `echo decoy >${decoy}; exec >>${decoy}; exec sleep 600`);
    await written(decoy);
    const { ino } = statSync(decoy);
    await nsv.run('logs', 'reopen', 'a');
    expect(statSync(decoy)).toMatchObject({ ino, uid: nobody.uid });
    expect(readFileSync(join(nsv.home, 'logs/a-0-out.log'), 'utf8')).toBe('');
  });
});

describe.skipIf(whyNoOtherUser)('the record of a rotation that a user could forge', { tags: 'full' }, () => {
  it('does not make the next daemon remove files or stop processes of root', async () => {
    const [draft, to] = [nobody.secret('draft'), nobody.secret('to', 'same\n')];
    const file = nobody.secret('file', 'same\n');
    await nsv.sleeper('mine');
    const [mine] = await nsv.list('mine');
    const rotator = { pid: mine!.pid };
    const record = { rotator, stopped: [rotator], file, draft, to };
    await nsv.killDaemonAndGuard();
    writeFileSync(join(nsv.home, `rotation-${nobody.uid}-${nobody.gid}.json`), JSON.stringify(record));
    await nsv.list();
    expect([draft, to, file].every((each) => existsSync(each))).toBe(true);
    expect(isAlive(mine!.pid!)).toBe(true);
    expect(readdirSync(nsv.home).filter((name) => name.startsWith('rotation'))).toEqual([]);
  });
});
