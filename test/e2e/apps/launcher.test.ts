// bin/nsv as it finds Node and becomes it, under each shell that may be its `sh`.
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { version } from '../../../src/shared/version.ts';
import { launcher, root } from '../../helpers/nsv.ts';
import { StandIn, shells, whyNoShell } from '../../helpers/process-1.ts';
import { finish } from '../../helpers/program.ts';
import { describeVariants } from '../../helpers/variants.ts';

let standIn: StandIn;
beforeEach(() => {
  standIn = new StandIn('says.cjs');
});
afterEach(() => standIn.dispose());

describeVariants(shells)('the launcher under $shell', ({ command: [program, ...words] }) => {
  const why = whyNoShell([program!, ...words]);
  beforeEach(async ({ skip }) => skip((await why) !== undefined, await why));

  async function launch(launcher: string, args: string[], env: NodeJS.ProcessEnv = {}, cwd = standIn.directory) {
    const options = { cwd, env: { ...process.env, ...env } };
    const { code, stdout, stderr, pid } = await finish(program!, [...words, launcher, ...args], options);
    return { code, stderr, pid, said: stdout && JSON.parse(stdout) };
  }

  it('replaces itself with Node, even for "run" if it is not process 1', async () => {
    const { code, pid, said } = await launch(standIn.launcher, ['run', 'two words', '', '*']);
    expect(code).toBe(3);
    expect(said).toMatchObject({ pid, argv: ['run', 'two words', '', '*'] });
  });

  it('stays the parent of Node for "run" if NSV_INIT is set', async () => {
    const { code, pid, said } = await launch(standIn.launcher, ['run'], { NSV_INIT: '1' });
    expect(code).toBe(3);
    expect(said).toMatchObject({ parent: pid, env: { NSV_INIT: String(pid) } });
    expect(await launch(standIn.launcher, ['list'], { NSV_INIT: '1' })).toMatchObject({
      said: { env: { NSV_INIT: '1' } },
    });
  });

  it('changes no environment variable of its caller', async () => {
    const env = { node: 'n', self: 's', link: 'l', here: 'h', nsv: 'x' };
    expect((await launch(standIn.launcher, [], env)).said.env).toMatchObject(env);
  });

  it('can be run through symlinks, from any directory, and in a directory with spaces', async () => {
    const { directory } = standIn;
    const home = join(directory, 'my own nsv');
    mkdirSync(home);
    for (const name of ['bin', 'dist']) renameSync(join(directory, name), join(home, name));
    mkdirSync(join(directory, 'links'));
    symlinkSync('../my own nsv/bin/nsv', join(directory, 'links', 'relative'));
    symlinkSync(join(directory, 'links', 'relative'), join(directory, 'absolute'));
    expect((await launch(join(directory, 'absolute'), [])).code).toBe(3);
    expect((await launch('links/relative', [])).code).toBe(3);
    expect((await launch('relative', [], {}, join(directory, 'links'))).code).toBe(3);
    expect((await launch('nsv', [], {}, join(home, 'bin'))).code).toBe(3);
    expect((await launch('nsv', ['run'], { NSV_INIT: '1' }, join(home, 'bin'))).code).toBe(3);
  });

  it.each(['--version', '-v', '-V'])('prints the version for %s, without Node', async (word) => {
    const { code, stdout } = await finish(program!, [...words, launcher, word], {
      env: { ...process.env, NSV_NODE: '/no such/node' },
    });
    expect([code, stdout]).toEqual([0, `${version}\n`]);
  });

  it('names the Node that it cannot find', async () => {
    const { code, stderr } = await launch(standIn.launcher, [], { NSV_NODE: '/no such/node' });
    expect(code).toBe(127);
    expect(stderr).toMatch(/^nsv: Node not found: "\/no such\/node"[\s\S]*NSV_NODE/);
  });
});

it.each([['list'], ['start', 'app.js'], ['run', 'app.js'], ['pm2', 'list']])(
  'an old Node is named, with what to do, by nsv %s',
  async (...words) => {
    const old = join(standIn.directory, 'old.cjs');
    writeFileSync(old, "Object.defineProperty(process.versions, 'node', { value: '18.20.8' });");
    const env = { ...process.env, NODE_OPTIONS: `--require ${old}` };
    const { code, stdout, stderr } = await finish(launcher, words, { env });
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
    const oldest = engines.node.replace('>=', '');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^nsv: Node v\S+ \(\/.*\) is too old: nsv needs Node /);
    expect(stderr).toContain(`needs Node ${oldest} or newer\n     install a newer one, or set NSV_NODE`);
  },
);
