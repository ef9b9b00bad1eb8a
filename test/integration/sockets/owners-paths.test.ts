import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createOwnersPaths } from '../../../src/daemon/sockets/owners-paths.ts';
import type { Bound } from '../../../src/os/sockets/handle.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

const directory = mkdtempSync(join(tmpdir(), 'nsv-paths-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe("the removal of another user's sockets", () => {
  it('delays the end of the daemon by no more than ten seconds when helpers hang', async () => {
    const helper = join(directory, 'helper.cjs');
    writeFileSync(helper, "setInterval(() => require('fs').existsSync(__filename) || process.exit(), 20);");
    const clock = new FakeClock();
    const paths = createOwnersPaths('/root/.nsv', helper, clock);
    const { remove } = paths.known({} as Bound, directory, { listen: [], uid: '4711' });
    for (let count = 0; count < 3; count += 1) remove();
    let isSettled = false;
    void paths.settled().then(() => (isSettled = true));
    await clock.passes(9_999);
    expect(isSettled).toBe(false);
    await clock.passes(1);
    expect(isSettled).toBe(true);
  });
});
