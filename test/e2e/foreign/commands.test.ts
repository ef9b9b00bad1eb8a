// What commands of root do with files that the user of an app can replace.
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { homeForEach, written } from '../../helpers/nsv.ts';

// The directory goes when the apps are gone, which would create it again.
const nobody = attackerForEach();
const nsv = homeForEach();

async function start(): Promise<string> {
  const log = nobody.at('a.log');
  const words = ['--name', 'a', '--uid', 'nobody', '--cwd', '/', '--min-uptime', '50ms', '-o', log, '-e', '/dev/null'];
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
  it('leads into no directory of root through a link in place of the working directory', async () => {
    const closed = join(nobody.roots, 'closed');
    mkdirSync(join(closed, 'inner'), { recursive: true });
    chmodSync(closed, 0o700);
    writeFileSync(join(closed, 'inner', 'file'), 'secret of root\n');
    await nobody.sh('mkdir cwd; echo of nobody > cwd/file');
    const command = 'pwd; cat file; exec sleep 600';
    const hook = `cat file > ${nobody.at('hooked')}`;
    const app = { name: 'a', script: '/bin/sh', args: ['-c', command], uid: 'nobody', cwd: nobody.at('cwd') };
    const logs = { output: nobody.at('a.log'), error: '/dev/null', min_uptime: '50ms' };
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
