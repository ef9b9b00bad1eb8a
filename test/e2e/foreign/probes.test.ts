// Probes of an app of another user: its broker passes on the connections by which the daemon asks each process.
// @module-tag full
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { bodies, freePort } from '../../helpers/http.ts';
import { fixture, homeForEach, isAlive, processesWith } from '../../helpers/nsv.ts';
import { whyNoOtherUser } from '../../helpers/other-user.ts';
import { procFile } from '../../helpers/proc.ts';

const nsv = homeForEach();
/** Others may enter the test's own directory. The home in it stays closed. */
beforeEach(() => chmodSync(nsv.directory, 0o755));

const brokers = () =>
  processesWith(`NSV_HOME=${nsv.home}`).filter((pid) => procFile(pid, 'cmdline')?.includes('broker/main.js'));

it.skipIf(await whyNoOtherUser())(
  'each process of another user is probed individually, through each broker and by each daemon',
  async () => {
    const [port, says] = [await freePort(), join(nsv.directory, 'says')];
    const rules = { interval: '100ms', failures: 2, timeout: '20s' };
    const app = {
      ...{
        name: 'web',
        script: fixture('probed.cjs'),
        args: ['http', String(port), says],
        instances: 2,
        uid: 'nobody',
      },
      ...{ cwd: '/', kill_timeout: '1s', ready_probe: { http: `:${port}/health`, ...rules } },
      live_probe: { tcp: port, ...rules, failures: 1, timeout: '4s' },
    };
    await nsv.ok('start', nsv.script('nsv.config.json', JSON.stringify({ apps: [app] })));
    const untilUnready = (slots: number[]) =>
      eventually(async () => {
        const unready = (await nsv.list('web')).filter((view) => view.unready !== undefined).map(({ slot }) => slot);
        return JSON.stringify(unready) === JSON.stringify(slots);
      });
    const untilOnly = (slots: string[]) =>
      eventually(async () => JSON.stringify([...new Set(await bodies(port, 20))].sort()) === JSON.stringify(slots));

    writeFileSync(`${says}-1`, '500');
    await untilUnready([1]);
    await untilOnly(['0']);
    const [broker] = brokers();
    process.kill(broker!, 'SIGKILL');
    await eventually(() => !isAlive(broker!) && brokers().length === 1);
    // It has come back to the queue by itself, and leaves it again.
    await untilOnly(['0']);
    await nsv.replaceDaemon();
    await untilUnready([1]);
    await untilOnly(['0']);
    rmSync(`${says}-1`);
    await untilUnready([]);
    await untilOnly(['0', '1']);

    const [, before] = await nsv.list('web');
    process.kill(before!.pid!, 'SIGSTOP');
    await eventually(async () => (await nsv.list('web'))[1]!.pid !== before!.pid || undefined);
    await eventually(() => !isAlive(before!.pid!));
    expect((await nsv.list('web')).map(({ restarts }) => restarts)).toEqual([0, 1]);
  },
);
