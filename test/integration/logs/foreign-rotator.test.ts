// A rotator that runs as another user, who may have taken it over.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { launchRotator, recoverAs } from '../../../src/daemon/launch/rotator.ts';
import { createRotator, type RunJob } from '../../../src/daemon/rotation/rotator.ts';
import type { RotationReport } from '../../../src/ipc/rotator-messages.ts';
import { realClock } from '../../../src/shared/clock.ts';
import { attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { variants } from '../../helpers/variants.ts';

const nobody = attackerForEach();
const owner = () => ({ uid: String(nobody.uid), gid: String(nobody.gid) });

let troubles: string[];
let deleted: string[];

beforeEach(() => {
  troubles = [];
  deleted = [];
});

/** `source`: what the process runs instead of the rotator. */
async function runWith(source: string): Promise<{ run: RunJob; record: string }> {
  await nobody.sh(`cat >rotator.cjs <<'END'\n${source}\nEND`);
  const record = join(nobody.roots, 'record.json');
  const program = nobody.at('rotator.cjs');
  const run = createRotator({
    clock: realClock,
    launch: (events) => launchRotator(program, record, events, owner()),
    recover: () => recoverAs(owner(), program, record),
    deleted: (files) => deleted.push(...files),
    trouble: (detail) => troubles.push(detail),
    fault: 'it is no rotator',
  });
  return { run, record };
}

const job = () => ({ do: 'reopen' as const, file: nobody.at('a.log'), writers: [], descriptors: [] });
const say = (report: RotationReport | string) =>
  `process.stdout.write(${JSON.stringify(typeof report === 'string' ? report : `${JSON.stringify(report)}\n`)});`;

describe.skipIf(whyNoOtherUser)('a rotator of another user', () => {
  variants([
    ['exits without a report', ''],
    ['sends a line that is not JSON', say('hello\n')],
    ['sends JSON that is not a report', say('{"type":"done","id":{}}\n')],
    ['is stopped by its user before its first report', `process.kill(process.pid, 'SIGSTOP');`],
    [
      'is stopped after a report',
      `process.stdin.once('data', () => { ${say({ type: 'continued' })} process.kill(process.pid, 'SIGSTOP'); });`,
    ],
    ['never ends a line', `setInterval(() => process.stdout.write('x'.repeat(65536)), 1);`],
    ['never stops reporting', `setInterval(() => { ${say({ type: 'trouble', detail: 'again' })} }, 1);`],
  ])('fails its job and leaves no record if it %s', async (_case, source) => {
    const { run, record } = await runWith(source);
    await expect(run(job())).rejects.toThrow('it is no rotator');
    expect(existsSync(record)).toBe(false);
    expect(troubles.length).toBeLessThan(300);
  });

  it('is trusted for its own jobs only', async () => {
    const first = say({ type: 'done', id: 99, result: { to: null, bytes: 1, stopped: 0 } });
    const own = say({ type: 'done', id: 1, result: { to: null, bytes: 2, stopped: 0 } });
    const { run } = await runWith(`process.stdin.once('data', () => { ${first}${own} process.exit(); });`);
    expect(await run(job())).toEqual({ to: null, bytes: 2, stopped: 0 });
  });

  it('runs as that user with an empty environment', async () => {
    const { run } = await runWith(`process.stdin.once('data', () => {
      const detail = JSON.stringify([process.getuid(), process.geteuid(), process.getgroups(), process.env, process.connected]);
      process.stdout.write(JSON.stringify({ type: 'failed', id: 1, problem: { detail, later: false } }) + '\\n');
      process.exit();
    });`);
    const said = await run(job()).catch((error: Error) => JSON.parse(error.message));
    expect(said.slice(0, 2)).toEqual([nobody.uid, nobody.uid]);
    expect(said[2]).toEqual([nobody.gid]);
    expect(said[3]).toEqual({});
  });
});
