// What commands of root do with files that the user of an app can replace.
import { existsSync, readFileSync, statSync } from 'node:fs';
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
  it('empties a log as the user of the app', async () => {
    const log = await start();
    expect(await nsv.ok('flush', 'a')).toBe(`emptied ${log} (4b)\n`);
    expect(statSync(log)).toMatchObject({ size: 0, uid: nobody.uid });
  });

  it('truncates no file of root through a link', async () => {
    const secret = nobody.secret();
    nobody.sh(`ln -sf ${secret} ${await start()}`);
    const { code, stderr } = await nsv.run('flush', 'a');
    expect(readFileSync(secret, 'utf8')).toBe('secret of root\n');
    expect(stderr).toContain('Permission denied');
    expect(code).toBe(6);
  });
});

describe.skipIf(whyNoOtherUser)('nsv logs', () => {
  it.each(['a.log', 'a.log.1.gz'])('does not wait for a FIFO in place of %s', async (name) => {
    await start();
    nobody.sh(`rm -f ${name}; mkfifo ${name}`);
    expect(await nsv.run('logs', 'a', '--nostream')).toMatchObject({ code: 0 });
    expect(existsSync(nobody.at(name))).toBe(true);
  });
});
