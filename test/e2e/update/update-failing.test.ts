// `nsv update` to a daemon that cannot go on: the one that runs does, as if nothing had been.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { hello, homeForEach, isAlive, processesWith } from '../../helpers/nsv.ts';
import { createRelease } from '../../helpers/release.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();

/** The call after which another daemon is that of the home. */
const accepting = /inherited\.accept\(\);/;

const switching = /has another format.*run "nsv save", "nsv kill" and "nsv resurrect"/;

const daemons: [how: string, daemon: (source: string) => string, says: RegExp][] = [
  ['throws when it boots', () => 'throw new Error("broken on purpose");', /Error: broken on purpose/],
  ['ends at once', () => '', /the new daemon exited with code 0/],
  ['cannot be parsed', () => 'const = ;', /SyntaxError/],
  [
    'lacks a part of itself',
    (source) => source.replaceAll('../vendor/pino.js', '../vendor/gone.js'),
    /Cannot find module/,
  ],
  ['cannot read the state', (source) => source.replaceAll('"nsv-state"', '"other-state"'), /not a state file of nsv/],
  [
    'reads another version of the state',
    (source) => source.replace(/header\.\s*version\s*!==\s*\w+/, 'true'),
    switching,
  ],
  [
    'gets a message that it does not know',
    (source) => source.replace(/type\s*===\s*"state"/, 'type==="other"'),
    switching,
  ],
  ['hangs when it boots', () => 'setInterval(() => {}, 1e3);', /the new daemon did not boot within 10 s/],
  [
    'dies while it takes over',
    (source) => source.replace(accepting, 'process.kill(process.pid, "SIGKILL"); $&'),
    /the new daemon died while taking over/,
  ],
  [
    'hangs while it takes over',
    (source) => source.replace(accepting, 'for (;;); $&'),
    /the new daemon did not take over within 5 s/,
  ],
];

describe('a new daemon', () => {
  variants(daemons)('leaves the running one in place if it %s', async (_how, daemon, says) => {
    const port = await freePort();
    await nsv.ok('start', hello, '--name', 'web', '-i', '2', '--', String(port));
    await nsv.sleeper('one');
    const [before, pid] = [await nsv.list(), nsv.daemonPid];
    const program = createRelease(join(nsv.directory, 'other'), { daemon });

    const { code, stdout, stderr } = await nsv.runWith({ program }, 'update');
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toMatch(says);
    expect(stderr).toContain('the old daemon and all apps keep running');

    expect(nsv.daemonPid).toBe(pid);
    expect(isAlive(pid!)).toBe(true);
    expect(await nsv.pids()).toEqual(before.map(({ pid }) => pid));
    expect((await ask(port)).ok).toBe(true);
    // Nothing is left of the other one: neither it nor its guard, nor its claim.
    const own = new Set(before.map((view) => view.pid));
    const others = processesWith(`NSV_HOME=${nsv.home}`).filter((found) => !own.has(found) && found !== pid);
    expect(others).toHaveLength(1);
    expect(readdirSync(nsv.home)).not.toContain('daemon.pid.next');
    // It still hears of deaths, and can be asked again.
    process.kill(before[2]!.pid!, 'SIGKILL');
    await eventually(async () => (await nsv.list('one'))[0]?.restarts === 1);
    await nsv.ok('reload', 'web');
    await nsv.ok('update');
    expect(nsv.daemonPid).not.toBe(pid);
    expect((await ask(port)).ok).toBe(true);
  });
});
