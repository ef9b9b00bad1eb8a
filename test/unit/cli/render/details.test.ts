import { describe, expect, it } from 'vitest';
import { renderDetails } from '../../../../src/cli/render/details.ts';
import type { ProcessView } from '../../../../src/ipc/views.ts';
import { appView } from '../fake-context.ts';

const plain = (_: string, text: string) => text;

describe('nsv show', () => {
  it('shows the program, its arguments and its sockets', () => {
    const text = renderDetails(appView({ args: ['--port', '3 000'] }), {}, plain);
    expect(text).toMatch(/^app web\n/);
    expect(text).toMatch(/program +\/srv\/app\.js\n/);
    expect(text).toMatch(/arguments +--port '3 000'\n/);
    expect(text).toMatch(/sockets +3000\n/);
  });

  it('shows the version, the git revision and the Node version of the app', () => {
    const revision = { commit: '0123456789abcdef0123456789abcdef01234567', branch: 'main' };
    const text = renderDetails(appView(), { version: '1.2.3', nodeVersion: '22.0.0', revision }, plain);
    for (const line of ['version +1.2.3', 'git revision +0123456789 \\(main\\)', 'node version +22.0.0'])
      expect(text).toMatch(new RegExp(`^  ${line}$`, 'm'));
    const detached = { revision: { ...revision, branch: undefined } };
    expect(renderDetails(appView(), detached, plain)).toMatch(/^ {2}git revision +0123456789$/m);
  });

  it.each([
    [{}, 'unchanged'],
    [{ time: true, logPrefix: true }, 'with time as YYYY-MM-DDTHH:mm:ss.SSSZ, name and slot'],
    [{ logMergeJson: true, logDateFormat: 'x' }, 'JSON objects, merged with lines that are JSON, time as x'],
  ])('shows how log lines are formatted: %o', (settings, expected) => {
    expect(renderDetails(appView(settings), {}, plain)).toMatch(new RegExp(`log lines +${expected}\n`));
  });

  it('lists the settings that differ from the default, in the form that options accept', () => {
    const text = renderDetails(
      appView({ killTimeout: 1_500, maxRestarts: 'unlimited', listen: ['[::1]:80'] }),
      {},
      plain,
    );
    expect(text).toMatch(/killTimeout +1500ms\n/);
    expect(text).toMatch(/maxRestarts +unlimited\n/);
    expect(text).toMatch(/listen +\[::1\]:80\n/);
    expect(text).not.toContain('stopSignal');
    expect(renderDetails(appView({ maxMemoryRestart: '80 %' }), {}, plain)).toMatch(/maxMemoryRestart +80%\n/);
    expect(renderDetails(appView({ maxMemoryRestart: '300M' }), {}, plain)).toMatch(/maxMemoryRestart +300.0mb\n/);
    expect(renderDetails(appView(), {}, plain)).not.toContain('differ');
  });

  it.each<[Partial<ProcessView>, RegExp]>([
    [{ lastExit: { code: 3, signal: null } }, /last exit +code 3\n/],
    [{ lastExit: { code: null, signal: 'SIGKILL' } }, /last exit +signal SIGKILL\n/],
    [{ status: 'errored', reason: 'too many restarts' }, /status +errored: too many restarts\n/],
    [{ planned: 2 }, /planned restarts +2, by a command, a schedule or a changed file\n/],
    [{ pid: null, since: null, uptime: null }, /process 0\n {2}slot +0\n {2}status +online\n {2}restarts/],
  ])('shows %j', (process, line) => {
    expect(renderDetails(appView({}, process), {}, plain)).toMatch(line);
  });

  it('escapes control characters', () => {
    expect(renderDetails(appView({ args: ['\x1b[2J'] }), {}, plain)).not.toContain('\x1b');
  });
});
