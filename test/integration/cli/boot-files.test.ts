// What is written for an init system, read by that system's own programs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { renderServiceScript } from '../../../src/cli/boot/openrc.ts';
import type { BootService } from '../../../src/cli/boot/service.ts';
import { delegating, renderSystemUnit, renderUserUnit, systemdVersion } from '../../../src/cli/boot/systemd.ts';
import { shellWord } from '../../../src/shared/shell-word.ts';
import { finish } from '../../helpers/program.ts';

const directory = mkdtempSync(join(tmpdir(), 'nsv boot 100% $HOME-'));
afterAll(() => rmSync(directory, { recursive: true }));

const service: BootService = {
  name: 'nsv-root',
  user: 'root',
  directory,
  home: join(directory, 'a "home"'),
  path: '/usr/bin:/bin',
  node: process.execPath,
  main: join(directory, "it's main.js"),
  canNotify: true,
  canDelegate: (systemdVersion() ?? 0) >= delegating,
};

const { error: noSystemd } = await finish('systemd-analyze', ['--version']);
if (noSystemd) console.warn(`skipped: no systemd-analyze here: ${noSystemd.message}`);

describe.skipIf(noSystemd)('systemd-analyze verify', () => {
  it.each([
    ['a unit of the system', renderSystemUnit, []],
    ['a unit of a user', renderUserUnit, ['--user']],
  ] as const)('accepts %s without a warning', async (_what, render, how) => {
    const file = join(directory, 'nsv-root.service');
    writeFileSync(file, render(service));
    const env = { ...process.env, XDG_RUNTIME_DIR: directory };
    const { code, stdout, stderr } = await finish('systemd-analyze', [...how, 'verify', file], { env });
    const ours = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('nsv-root'));
    expect([code, ours]).toEqual([0, []]);
  });
});

describe('a shell', () => {
  it('reads the quoted words of the OpenRC script correctly', async () => {
    // As OpenRC does: it sources the script, and evaluates both words in one line.
    const file = join(directory, 'nsv-root');
    writeFileSync(file, renderServiceScript(service));
    const ending = 'eval set -- $command $command_args; printf "%s\\n" "$@" "$NSV_HOME"';
    const { stdout, stderr } = await finish('/bin/sh', ['-c', `. ${shellWord(file)}; ${ending}`]);
    expect(stderr).toBe('');
    expect(stdout.trimEnd().split('\n')).toEqual([service.node, service.main, 'daemon', '--foreground', service.home]);
  });
});
