// Messages to the daemon that are well-formed, and not true: an app can write all that its preload can.
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/http.ts';
import { fixture, hello, homeForEach } from '../../helpers/nsv.ts';
import { whyNoOtherUser } from '../../helpers/other-user.ts';
import { goodMessages } from '../../helpers/up-messages.ts';
import { request, Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();
beforeEach(() => chmodSync(nsv.directory, 0o755));

/** The numbers are those of nothing, of something that the daemon has asked or sent, and of what it never will. */
function forged(port: number): object[] {
  const key = `tcp|*|${port}||0`;
  return Object.values(goodMessages).flatMap((message) =>
    [0, 1, 2, Number.MAX_SAFE_INTEGER].map((number) => ({
      ...Object.fromEntries(
        Object.entries(message).map(([name, value]) => [name, typeof value === 'number' ? number : value]),
      ),
      ...('key' in message && { key }),
    })),
  );
}

describe.each([
  ["the daemon's own user", [], undefined],
  ['another user', ['--uid', 'nobody'], await whyNoOtherUser()],
])('forged messages from an app of %s', (user, options, whyNot) => {
  it.skipIf(whyNot)(
    'harm neither other apps nor the daemon',
    { tags: user === 'another user' ? 'full' : [] },
    async () => {
      const [own, port] = [await freePort(), await freePort()];
      await nsv.ok('start', hello, '--name', 'good', '-i', '2', '--', String(own));
      const script = join(nsv.directory, 'app.cjs');
      copyFileSync(fixture('writes-channel.cjs'), script);
      await nsv.ok('start', script, '--name', 'web', '-i', '2', ...options, '--', String(port));
      const [daemon, before] = [nsv.daemonPid, await nsv.list('good')];
      const visitors = new Visitors(4, { port: own, think: 5 });
      for (const message of forged(own)) {
        // A process that has announced its suicide, or has no channel any more, answers all the same.
        await request({ port, path: '/', body: `${JSON.stringify(message)}\n` }).catch(() => {});
      }
      await nsv.ok('reload', 'web');
      await nsv.ok('scale', 'web', '1');
      await eventually(() => visitors.answers.length > 100);
      expect(await nsv.list('good')).toMatchObject(before.map(({ pid }) => ({ pid, status: 'online', restarts: 0 })));
      await nsv.ok('reload', 'good');
      expect(nsv.daemonPid).toBe(daemon);
      await nsv.replaceDaemon();
      expect((await nsv.list()).map(({ name, status }) => `${name} ${status}`)).toEqual([
        'good online',
        'good online',
        'web online',
      ]);
      await nsv.ok('reload', 'all');
      expect(await visitors.leave()).toEqual([]);
      expect(nsv.log()).not.toContain('"level":60');
    },
  );
});
