// The bundled command line as a process of its own, against a real socket whose answers are canned.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createServer, type Server } from '../../../src/ipc/server.ts';
import { homePaths } from '../../../src/shared/paths.ts';
import { protocolVersion, version } from '../../../src/shared/version.ts';
import { endChild } from '../../helpers/proc.ts';
import { processView } from '../../unit/cli/fake-context.ts';

let folder: string;
let server: Server;
let asked: () => void = () => {};
const children: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nsv-cli-'));
  chmodSync(folder, 0o700);
  writeFileSync(join(folder, 'out.log'), 'hello\n');
  await build({
    entryPoints: ['main', 'command-line'].map((name) => join(import.meta.dirname, `../../../src/cli/${name}.ts`)),
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    define: { 'import.meta.dirname': '__dirname' },
  });
  const process = processView({ outFile: join(folder, 'out.log'), errorFile: join(folder, 'err.log') });
  server = await createServer({
    paths: homePaths(folder),
    hello: { protocol: protocolVersion, version, build: '', pid: 1 },
    async route(method, _params, report) {
      if (method !== 'restart') return { result: [process] };
      report('waiting for web');
      asked();
      return new Promise(() => {});
    },
  });
});

afterEach(() => Promise.all(children.splice(0).map(endChild)));

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function nsv(argv: string[], env: Record<string, string> = {}): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [join(folder, 'main.js'), ...argv], {
    env: { PATH: process.env.PATH ?? '', NSV_HOME: folder, ...env },
  });
  children.push(child);
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk) => (texts[name] += chunk));
  return { child, ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, ...texts }))) };
}

describe('the nsv command', () => {
  it('prints to a pipe without frames and colours, and exits with 0', async () => {
    const { code, stdout, stderr } = await nsv(['list']).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^id {2}name .*\n 0 {2}web .*\n$/);
  });

  it('prints colours to a pipe when they are forced', async () => {
    expect((await nsv(['list'], { FORCE_COLOR: '1' }).ended).stdout).toContain('\x1b[32monline');
  });

  it('exits with the code of the failure, and reports it on standard error', async () => {
    const { code, stdout, stderr } = await nsv(['lsit']).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^nsv: there is no command "lsit"; did you mean "list"\?\n {5}\S/);
  });

  it('reports a failure as one JSON object with --json, unless the --json is for the program', async () => {
    const { code, stderr } = await nsv(['start', 'nope.js', '--no-wait', '-i', 'x', '--json']).ended;
    expect({ code, error: JSON.parse(stderr) }).toMatchObject({ code: 2, error: { error: { code: 'BAD_OPTION' } } });
    expect((await nsv(['start', 'nope.js', '-i', 'x', '--', '--json']).ended).stderr).toMatch(
      /^nsv: --instances must be/,
    );
  });

  it('exits with 4 when no daemon is running', async () => {
    const { code, stderr } = await nsv(['ping'], { NSV_HOME: join(folder, 'none') }).ended;
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('no daemon is running') });
  });

  it('exits with 130 on Ctrl-C during a wait, and notes that the daemon continues', async () => {
    const { child, ended } = nsv(['restart', 'web']);
    await new Promise<void>((resolve) => {
      asked = resolve;
    });
    child.kill('SIGINT');
    expect(await ended).toEqual({
      code: 130,
      stdout: '',
      stderr: expect.stringContaining('the daemon continues with the request'),
    });
  });

  it('follows logs until Ctrl-C, and prints nothing else', async () => {
    const { child, ended } = nsv(['logs', '--raw']);
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, stdout: 'hello\n', stderr: '' });
  });

  it('exits without an error when the reader of its output has gone', async () => {
    const { child, ended } = nsv(['logs']);
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    child.stdout?.destroy();
    writeFileSync(join(folder, 'out.log'), 'more\n', { flag: 'a' });
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });

  it.skipIf(process.platform !== 'linux').each([[['list']], [['logs', '--nostream']], [['logs']]])(
    'fails when %j prints to a full disk',
    async (argv) => {
      const child = spawn(
        'sh',
        ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, join(folder, 'main.js'), ...argv],
        {
          env: { PATH: process.env.PATH ?? '', NSV_HOME: folder },
        },
      );
      children.push(child);
      let stderr = '';
      child.stderr.on('data', (chunk) => (stderr += chunk));
      const code = await new Promise((resolve) => child.on('close', resolve));
      expect(stderr).toMatch(/^nsv: failed to write the output: ENOSPC: .*\n {5}\S.*\n$/);
      expect(code).toBe(8);
    },
  );
});
