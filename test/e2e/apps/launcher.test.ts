// bin/nsv as it finds Node and becomes it, under each shell that may be its `sh`.
import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
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

  it('names the Node that it cannot find', async () => {
    const { code, stderr } = await launch(standIn.launcher, [], { NSV_NODE: '/no such/node' });
    expect(code).toBe(127);
    expect(stderr).toMatch(/^nsv: Node not found: "\/no such\/node"[\s\S]*NSV_NODE/);
  });
});
