// The helper that binds sockets as another user, without a daemon that kills it at once. It uses dist/.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { SocketJob } from '../../../src/privileges/socket-job.ts';
import { installed } from '../../../src/shared/paths.ts';
import { attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';

const nobody = attackerForEach();

/** It stays until its channel is closed. */
async function bind(name: string): Promise<{ helper: ChildProcess; path: string; answer: unknown }> {
  const path = nobody.at(name);
  const job: SocketJob = { uid: nobody.uid, gid: nobody.gid, hasAccount: true, umask: '022', path };
  const helper = fork(installed.socketHelper, [JSON.stringify(job)], { env: {}, execArgv: [], cwd: '/' });
  const [answer] = await once(helper, 'message');
  return { helper, path, answer };
}

async function end(helper: ChildProcess): Promise<void> {
  const ended = once(helper, 'exit');
  helper.disconnect();
  await ended;
}

describe.skipIf(whyNoOtherUser)('the helper for sockets of another user', () => {
  it('has dropped the rights of root', async () => {
    const { helper, path } = await bind('a.sock');
    const status = readFileSync(`/proc/${helper.pid}/status`, 'utf8');
    const { uid, gid } = nobody;
    expect(status).toMatch(new RegExp(`^Uid:(\\t${uid}){4}$`, 'm'));
    expect(status).toMatch(new RegExp(`^Gid:(\\t${gid}){4}$`, 'm'));
    expect(status).toMatch(new RegExp(`^Groups:\\t${gid} *$`, 'm'));
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(nobody.ownerOf(path)).toBe(uid);
    await end(helper);
  });

  it('cannot be traced by another process of that user, who could write to its channel', async () => {
    const { helper } = await bind('a.sock');
    // Of a process that can be traced they belong to its user, and ptrace(2) checks the same.
    expect(lstatSync(`/proc/${helper.pid}/fd`).uid).toBe(0);
    expect((await nobody.try(`ls /proc/${helper.pid}/fd/`)).code).not.toBe(0);
    await end(helper);
  });

  it('removes what it has bound if the daemon dies before it takes the socket', async () => {
    const { helper, path } = await bind('a.sock');
    expect(existsSync(path)).toBe(true);
    await end(helper);
    expect(existsSync(path)).toBe(false);
  });

  it('removes nothing else', async () => {
    const { helper } = await bind('a.sock');
    await nobody.sh('rm a.sock; echo other > a.sock');
    await end(helper);
    expect(nobody.text('a.sock')).toBe('other\n');
  });

  it('answers with the error of the system', async () => {
    await nobody.sh('echo other > a.sock');
    const { helper, answer } = await bind('a.sock');
    expect(answer).toEqual({ type: 'failed', errno: expect.any(Number) });
    expect(nobody.text('a.sock')).toBe('other\n');
    await end(helper);
  });
});
