// Profiles, heap snapshots and code, of apps that know nothing of it.
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Grown } from '../../../src/profile/main.ts';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground } from '../../helpers/foreground.ts';
import { homeForEach, written } from '../../helpers/nsv.ts';

const nsv = homeForEach();
const inDirectory = (name: string) => join(nsv.directory, name);
const modeOf = (name: string) => statSync(inDirectory(name)).mode & 0o777;

describe('nsv profile', () => {
  it('names the hot function first, and writes files that only the user can read', async () => {
    const busy = `function burn() { let sum = 0; for (let at = 0; at < 2e7; at += 1) sum += Math.sqrt(at); return sum; }
      setInterval(burn, 1);`;
    await nsv.ok('start', nsv.script('busy.js', busy));
    const profiled = JSON.parse(
      await nsv.ok('profile', 'busy', '--cpu', '500ms', '--flame', '-o', 'busy.cpuprofile', '--json'),
    );
    expect(profiled).toMatchObject({
      name: 'busy',
      file: inDirectory('busy.cpuprofile'),
      flame: inDirectory('busy.html'),
    });
    expect(profiled.functions[0]).toMatchObject({ name: 'burn', file: inDirectory('busy.js'), line: 1, origin: 'app' });
    expect([modeOf('busy.cpuprofile'), modeOf('busy.html')]).toEqual([0o600, 0o600]);
    expect(readFileSync(inDirectory('busy.html'), 'utf8')).toContain('burn');
    // Neither the file nor where a link leads to is replaced.
    symlinkSync('nowhere', inDirectory('link'));
    for (const output of ['busy.cpuprofile', 'link']) {
      const stderr = await nsv.fails(8, 'profile', 'busy', '--heap', '10ms', '-o', output);
      expect(stderr).toContain(`failed to write ${inDirectory(output)}`);
    }
    expect(existsSync(inDirectory('nowhere'))).toBe(false);
    // Nor does anybody wait for a recording that cannot be written.
    const [stderr] = (await nsv.fails(8, 'profile', 'busy', '--cpu', '10m', '-o', 'no/such/file')).split('\n');
    expect(stderr).toMatch(/^nsv: failed to write .*no\/such\/file: ENOENT/);
  });

  it('turns the profiler off when the command is killed', { tags: 'full' }, async () => {
    const source = `const { appendFileSync } = require('node:fs');
      const { Session } = require('node:inspector');
      const { post, disconnect } = Session.prototype;
      const log = (text) => appendFileSync(__dirname + '/told', text + '\\n');
      Session.prototype.post = function (...words) { log(words[0]); return post.apply(this, words); };
      Session.prototype.disconnect = function () { disconnect.call(this); log('disconnected'); };
      setInterval(() => {}, 60_000);`;
    await nsv.ok('start', nsv.script('told.js', source));
    const command = new Foreground(nsv, ['told', '--cpu', '10m'], { command: 'profile' });
    const hears = (line: string) => eventually(async () => (await written(inDirectory('told'))).includes(`${line}\n`));
    await hears('Profiler.start');
    command.sends('SIGKILL');
    await command.ended;
    await hears('disconnected');
    expect(readdirSync(nsv.directory).sort()).toEqual(['home', 'told', 'told.js']);
  });
});

describe('nsv heap --diff', { tags: 'full' }, () => {
  it('finds a leak and what retains it', async () => {
    const leaks = `class Leaked { constructor() { this.text = 'x'; } }
      const kept = [];
      globalThis.leak = () => { for (let at = 0; at < 5000; at += 1) kept.push(new Leaked()); return kept.length; };
      setInterval(() => {}, 60_000);`;
    await nsv.ok('start', nsv.script('leaks.js', leaks));
    await nsv.ok('repl', 'leaks', '--eval', 'leak()');
    await nsv.ok('heap', 'leaks', '--yes', '-o', 'before');
    expect(await nsv.ok('repl', 'leaks', '--eval', 'leak()')).toBe('10000\n');
    await nsv.ok('heap', 'leaks', '--yes', '-o', 'after');
    expect(modeOf('before')).toBe(0o600);
    const grown = JSON.parse(await nsv.ok('heap', '--diff', 'before', 'after', '--json')) as Grown[];
    const leaked = grown.find(({ name }) => name === 'Leaked');
    // The prototype counts too, in some versions of V8.
    expect([5_000, 5_001]).toContain(leaked!.before.count);
    expect(leaked!.after.count - leaked!.before.count).toBe(5_000);
    const [first] = leaked!.retainers;
    expect(first!.way).toContain('variable kept');
    expect(first!.count).toBeGreaterThanOrEqual(5_000);
    expect(await nsv.ok('heap', '--diff', 'before', 'after')).toMatch(
      /^Leaked {2}\+5000 objects \(500\d → 1000\d\), \+/m,
    );
    const broken = await nsv.run('heap', '--diff', 'before', 'leaks.js');
    expect([broken.code, broken.stderr]).toEqual([
      8,
      expect.stringContaining(`${inDirectory('leaks.js')}: it is not a heap snapshot`),
    ]);
  });
});

describe('a command that inspects a process', { tags: 'full' }, () => {
  it('needs confirmation before it stops the process, and leaves no file if it fails', async () => {
    await nsv.sleeper('sleeps');
    // Its standard input is empty.
    const unasked = await nsv.run('heap', 'sleeps');
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('not confirmed')]);
    for (const words of [['heap', '--yes'], ['gc'], ['profile'], ['repl', '--eval', '1']]) {
      expect(await nsv.fails(7, words[0]!, 'sleeps', ...words.slice(1))).toContain('it is not a Node program');
    }
    expect(readdirSync(nsv.directory)).toEqual(['home']);
  });

  it('collects garbage, or runs code from an option or from standard input', async () => {
    await nsv.ok('start', nsv.script('idle.js', 'setInterval(() => {}, 60_000)'), '-i', '2');
    const several = await nsv.run('gc', 'idle');
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('one of them by id, 0, 1')]);
    const { before, after } = JSON.parse(await nsv.ok('gc', '0', '--json'));
    expect([before.heapUsed, after.heapUsed].every((bytes) => bytes > 1_000_000)).toBe(true);
    expect(await nsv.ok('repl', '0', '-e', 'require("node:path").sep + (await Promise.resolve(7))')).toBe("'/7'\n");
    const thrown = await nsv.run('repl', '0', '-e', 'throw new Error("on purpose")');
    expect([thrown.code, thrown.stdout]).toEqual([7, 'Uncaught Error: on purpose\n    at <anonymous>:1:7\n']);
    const input = 'globalThis.kept = 6\nkept * 7\n';
    expect(await new Foreground(nsv, ['0'], { command: 'repl', input }).ended).toMatchObject({ stdout: '6\n42\n' });
  });
});
