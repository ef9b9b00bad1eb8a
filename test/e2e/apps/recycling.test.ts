// Processes that are replaced because of what they have done or how old they are.
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach } from '../../helpers/nsv.ts';
import { variants } from '../../helpers/variants.ts';
import { Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();
let port: number;

beforeEach(async () => {
  port = await freePort();
});

const app = () =>
  nsv.script(
    'app.cjs',
    `require('http').createServer((_, response) => response.end(String(process.pid))).listen(${port});`,
  );
const pids = async () => (await nsv.list()).map(({ pid }) => pid!);

describe('an app', () => {
  variants([
    ['a limit of requests', ['--max-requests', '200']],
    ['a limit of age', ['--max-age', '1500ms']],
  ])('loses no request when its processes are replaced one by one because of %s', async (_, words) => {
    await nsv.ok('start', app(), '-i', '2', ...words);
    await eventually(async () => (await ask(port)).ok);
    const before = await pids();
    const visitors = new Visitors(8, { port });
    await eventually(async () => (await pids()).every((pid) => !before.includes(pid)));
    expect(await visitors.leave()).toEqual([]);
    expect((await nsv.list()).map(({ restarts }) => restarts)).toEqual([0, 0]);
  });

  it('keeps serving above its limit while its new version is broken', { tags: 'full' }, async () => {
    await nsv.ok('start', app(), '--max-requests', '1');
    const [before] = await pids();
    nsv.script('app.cjs', 'throw new Error("broken at boot");');
    expect(await ask(port)).toEqual({ ok: true, body: String(before) });
    await eventually(() => nsv.log().includes('next attempt in 5s'));
    app();
    expect(await ask(port)).toEqual({ ok: true, body: String(before) });
    await eventually(async () => (await pids())[0] !== before);
    expect((await ask(port)).ok).toBe(true);
  });

  it('is not started with --max-requests if it is not a Node program', { tags: 'full' }, async () => {
    const stderr = await nsv.fails(2, 'start', '/bin/sleep', '--max-requests', '10', '--', '600');
    expect(stderr).toMatch(/--max-requests .*"\/bin\/sleep"/);
    expect(await nsv.list()).toEqual([]);
  });
});
