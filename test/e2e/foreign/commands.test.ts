// What commands of root do with files that the user of an app can replace.
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asNobody, attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { homeForEach, written } from '../../helpers/nsv.ts';

// The directory goes when the apps are gone, which would create it again.
const nobody = attackerForEach();
const nsv = homeForEach();

async function start(): Promise<string> {
  const log = nobody.at('a.log');
  const words = [...asNobody, '-o', log, '-e', '/dev/null'];
  await nsv.ok('start', '/bin/sh', ...words, '--', '-c', 'echo one; exec sleep 600');
  await written(log);
  return log;
}

describe.skipIf(whyNoOtherUser)('nsv flush', () => {
  it('empties a log as the user of the app', { tags: 'full' }, async () => {
    const log = await start();
    expect(await nsv.ok('flush', 'a')).toBe(`emptied ${log} (4b)\n`);
    expect(statSync(log)).toMatchObject({ size: 0, uid: nobody.uid });
  });

  it('truncates no file of root through a link', async () => {
    const secret = nobody.secret();
    await nobody.sh(`ln -sf ${secret} ${await start()}`);
    const { code, stderr } = await nsv.run('flush', 'a');
    expect(readFileSync(secret, 'utf8')).toBe('secret of root\n');
    expect(stderr).toContain('Permission denied');
    expect(code).toBe(6);
  });
});

describe.skipIf(whyNoOtherUser)('nsv restart', { tags: 'full' }, () => {
  it('runs nothing in a directory of root through a link in place of the working directory', async () => {
    const closed = join(nobody.roots, 'closed');
    mkdirSync(join(closed, 'inner'), { recursive: true });
    chmodSync(closed, 0o700);
    writeFileSync(join(closed, 'inner', 'file'), 'secret of root\n');
    await nobody.sh('mkdir cwd; echo of nobody > cwd/file');
    const command = 'pwd; cat file; exec sleep 600';
    const hook = `cat file > ${nobody.at('hooked')}`;
    const app = { name: 'a', script: '/bin/sh', args: ['-c', command], uid: 'nobody', cwd: nobody.at('cwd') };
    const logs = { output: nobody.at('a.log'), error: '/dev/null' };
    writeFileSync(join(nobody.roots, 'a.json'), JSON.stringify({ apps: [{ ...app, ...logs, pre_start: hook }] }));
    await nsv.ok('start', join(nobody.roots, 'a.json'));
    await written(logs.output);
    expect(nobody.text('a.log')).toBe(`${app.cwd}\nof nobody\n`);
    expect(nobody.text('hooked')).toBe('of nobody\n');

    await nobody.sh(`rm hooked; mv cwd old; ln -s ${join(closed, 'inner')} cwd`);
    await nsv.run('restart', 'a');
    expect(nobody.text('a.log')).not.toContain('secret');
    expect(existsSync(nobody.at('hooked'))).toBe(false);
  });
});

describe.skipIf(whyNoOtherUser)('nsv logs', { tags: 'full' }, () => {
  it.each(['a.log', 'a.log.1.gz'])('does not wait for a FIFO in place of %s', async (name) => {
    await start();
    await nobody.sh(`rm -f ${name}; mkfifo ${name}`);
    expect(await nsv.run('logs', 'a', '--nostream')).toMatchObject({ code: 0 });
    expect(existsSync(nobody.at(name))).toBe(true);
  });
});

describe.skipIf(whyNoOtherUser)('a config file that is found but not named', () => {
  const start = (...words: string[]) => nsv.runWith({ cwd: nobody.directory }, 'start', ...words);
  const isRunning = async () => (await nsv.list()).map(({ name }) => name);

  it('is not executed in another user’s directory unless it is named', async () => {
    const ran = nobody.at('ran');
    await nobody.sh(`echo "require('fs').writeFileSync('${ran}', ''); module.exports = []" > nsv.config.js`);
    const { code, stderr } = await start();
    expect(code).toBe(3);
    expect(stderr).toContain(
      `found ${nobody.at('nsv.config.js')}, but did not use it: it belongs to user ${nobody.uid}`,
    );
    expect(existsSync(ran)).toBe(false);
    await start('nsv.config.js');
    expect(existsSync(ran)).toBe(true);
  });

  const config = JSON.stringify({ name: 'a', script: '/bin/sleep', args: '600' });

  it.each([
    ["a file of root in another user's directory", () => writeFileSync(nobody.at('nsv.config.json'), config), 3],
    ["another user's link to a file of root", () => linkedByNobody(), 3],
    ["another user's file in a directory of root", () => ownedByNobody(), 3],
  ])('is not used: %s', async (_what, make, exitCode) => {
    const cwd = await make();
    const { code, stderr } = await nsv.runWith({ cwd: cwd ?? nobody.directory }, 'start');
    expect(stderr).toContain(`belongs to user ${nobody.uid}`);
    expect(code).toBe(exitCode);
  });

  it('is used if it belongs to the user who ran sudo', async () => {
    writeFileSync(nobody.at('nsv.config.json'), config);
    const env = { SUDO_UID: String(nobody.uid) };
    expect(await nsv.runWith({ cwd: nobody.directory, env }, 'start')).toMatchObject({ code: 0 });
    expect(await isRunning()).toEqual(['a']);
  });

  async function linkedByNobody(): Promise<string> {
    const directory = join(nobody.roots, 'open');
    mkdirSync(directory);
    chmodSync(directory, 0o1777);
    const file = join(nobody.roots, 'apps.json');
    writeFileSync(file, config);
    await nobody.sh(`ln -s ${file} ${join(directory, 'nsv.config.json')}`);
    return directory;
  }

  function ownedByNobody(): string {
    const file = join(nobody.roots, 'nsv.config.json');
    writeFileSync(file, config);
    chownSync(file, nobody.uid, nobody.gid);
    return nobody.roots;
  }
});
