import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checks, runChecks } from '../../../src/doctor/checks.ts';
import type { AppFacts, DaemonFacts, Facts, HomeFacts, SavedFacts, StateFacts } from '../../../src/doctor/facts.ts';
import { appOf, now, processOf, wellFacts } from '../../helpers/facts.ts';
import { root } from '../../helpers/nsv.ts';

const home = (rest: Partial<HomeFacts>) => ({ home: { ...wellFacts.home, ...rest } });
const daemon = (rest: Partial<DaemonFacts>) => ({ daemon: { ...wellFacts.daemon, ...rest } });
const state = (rest: Partial<StateFacts>) => ({ state: { ...wellFacts.state, ...rest } });
const saved = (rest: Partial<SavedFacts>) => ({ saved: { ...wellFacts.saved, ...rest } });
const app = (rest: Parameters<typeof appOf>[0]): { apps: AppFacts[] } => ({ apps: [appOf(rest)] });
const log = (rest: Partial<DaemonFacts['log']>) => ({ ...wellFacts.daemon.log, ...rest });
const nobody = { answer: { kind: 'nobody' } } as const;
const hour = 60 * 60_000;

/** For each check what makes it speak, a word of what it says, and a word of the remedy. */
const cases: Record<keyof typeof checks, [facts: Partial<Facts>, what: string, remedy: string]> = {
  'node-too-old': [
    { here: { version: '1.0.0', build: 'b1', node: 'v20.18.9' } },
    'this is Node v20.18.9',
    'install Node 20.19',
  ],
  'home-unsafe': [home({ unsafe: { detail: 'cannot use it', hint: 'chmod it' } }), 'cannot use it', 'chmod it'],
  'home-open': [home({ mode: 0o755 }), 'mode 0755', 'chmod 700 /h'],
  'home-unwritable': [home({ unwritable: 'EROFS' }), '(EROFS)', 'NSV_HOME'],
  'home-path-long': [home({ tooLong: 4 }), '4 bytes too long', 'shorter'],
  'disk-full': [
    { disks: [{ path: '/d', freeBytes: 2048, freeShare: 0.5 }] },
    '/d has only 2.0kb left',
    'free some space',
  ],
  'state-broken': [state({ broken: [{ file: '/h/state.json', why: 'it is empty' }] }), 'it is empty', 'rewrites it'],
  'state-set-aside': [state({ quarantined: [{ file: '/h/bad', at: now - 3 * hour }] }), '/h/bad 3h ago', 'delete'],
  'apps-set-aside': [
    saved({ appsAside: [{ file: '/h/aside', at: now - hour }] }),
    '/h/aside 1h ago',
    'start them again',
  ],
  'saved-broken': [saved({ broken: 'odd' }), 'odd', 'nsv save'],
  'saved-set-aside': [saved({ quarantined: [{ file: '/h/bad', at: now - hour }] }), '/h/bad 1h ago', 'delete'],
  asleep: [state({ notResurrected: ['a', 'b'] }), 'a, b', 'nsv resurrect'],
  'daemon-stopped': [daemon({ isStopped: true }), 'pid 10', 'kill -CONT 10'],
  'daemon-silent': [daemon({ answer: { kind: 'silent', seconds: 3 } }), 'within 3 s', 'kill -9 10'],
  'daemon-failed': [daemon({ answer: { kind: 'failed', detail: 'cannot', hint: 'do' } }), 'cannot', 'do'],
  'daemon-without-socket': [daemon(nobody), 'pid 10', 'kill -9 10'],
  'daemon-dead': [{ daemon: { ...nobody, diedAs: 9, isStopped: false, log: log({}) } }, 'pid 9', 'nsv list'],
  'daemon-of-former-home': [{ former: [{ pid: 9, renamedTo: '/new' }] }, 'to /new', 'rename it back, or run "kill 9"'],
  'launch-failed': [
    { daemon: { ...nobody, launch: 'EPERM', isStopped: false, log: log({}) } },
    'EPERM',
    'daemon-start.log',
  ],
  'guard-gone': [daemon({ guard: 'gone' }), 'guard', 'kill -9 10'],
  'daemon-crashes': [
    daemon({ log: log({ deaths: [now - 30 * hour, now - 2 * hour], lastError: 'boom' }) }),
    'died 1 time within a day, most recently 2h ago, last error: "boom"',
    'daemon.log',
  ],
  'daemon-warnings': [
    daemon({ log: log({ warnings: [{ at: now - 2 * hour, text: 'the formatter exited: exit code 1' }] }) }),
    'logged 1 warning within a day, most recently 2h ago: the formatter exited',
    'nsv events --since 1d',
  ],
  'versions-differ': [{ here: { version: '1.0.0', build: 'b1', node: 'v24.1.0' } }, 'Node v24.1.0', 'nsv update'],
  'without-copy': [daemon({ package: '/opt/nsv' }), 'runs from /opt/nsv', 'nsv update'],
  'descriptors-short': [daemon({ descriptors: { used: 9_000, limit: 10_000 } }), '9000 of 10000', 'ulimit'],
  'descriptors-few': [daemon({ descriptors: { used: 30, limit: 1_024 } }), 'limited to 1024', 'ulimit'],
  'given-up': [
    app({ processes: [processOf({ status: 'errored', reason: 'too many' }), processOf({ slot: 1 })] }),
    'gave up on "web": too many',
    'nsv restart web',
  ],
  crashing: [
    app({ processes: [processOf({ status: 'waiting restart', restarts: 7 })] }),
    'restarts: 7',
    'nsv logs web',
  ],
  'app-paused': [app({ stopped: [20] }), 'pid 20', 'kill -CONT 20'],
  unrunnable: [app({ unrunnable: 'no such file' }), 'no such file', 'nsv restart web'],
  'socket-lost': [app({ spec: { node: false, listen: ['80'] } }), 'lost its sockets', 'nsv stop web'],
  'app-problem': [
    app({ problems: [{ about: 'log', detail: '/l: full', ago: 0 }] }),
    '"web": log problem: /l: full',
    'free some space',
  ],
  'saved-unrunnable': [
    { saved: { apps: [{ name: 'web', active: true, unrunnable: 'no such file' }], quarantined: [], appsAside: [] } },
    '"web" is saved for the next boot, but cannot be started: no such file',
    'nsv save',
  ],
  'log-unwritable': [app({ logs: [{ file: '/l', size: 0, unwritable: 'EACCES' }] }), 'EACCES', 'permissions'],
  'log-too-large': [
    app({ logs: [{ file: '/l', size: 1024 ** 3 }] }),
    '1.0gb, above its limit of 10.0mb',
    'nsv logs rotate web',
  ],
  strays: [{ strays: [{ pid: 30, app: 'web', command: 'node x.js' }] }, 'pid 30', 'kill 30'],
  unsaved: [{ saved: { quarantined: [], appsAside: [] } }, 'web', 'nsv save'],
  'not-resurrected': [
    {
      ...daemon({ log: log({ isNewBoot: true }) }),
      ...app({ processes: [processOf({ status: 'stopped', pid: null })] }),
    },
    'web',
    'nsv resurrect',
  ],
};

describe('the doctor', () => {
  it('finds nothing if all is well', () => {
    expect(runChecks(wellFacts)).toEqual([]);
  });

  it.each(Object.entries(cases))('reports %s and its remedy, and nothing else', (code, [facts, what, remedy]) => {
    const findings = runChecks({ ...wellFacts, ...facts });
    const [finding] = findings.filter((one) => one.code === code);
    expect(finding).toMatchObject({ what: expect.stringContaining(what), remedy: expect.stringContaining(remedy) });
    // A Node that is too old is not that of the daemon either.
    const others = findings.filter((one) => one.code !== code).map((one) => one.code);
    expect(others).toEqual(code === 'node-too-old' ? ['versions-differ'] : []);
  });

  it.each(Object.keys(checks))('has %s in its page of the docs', (code) => {
    expect(readFileSync(join(root, 'docs', 'doctor.md'), 'utf8')).toContain(`\`${code}\``);
  });
});
