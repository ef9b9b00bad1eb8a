// Of a home with which all is well, and of an app in it.
import { parseAppSpec } from '../../src/config/app-spec.ts';
import type { AppFacts, Facts } from '../../src/doctor/facts.ts';
import type { ProcessView } from '../../src/ipc/views.ts';

export const now = 10 * 24 * 60 * 60_000;

const processView: ProcessView = {
  id: 0,
  name: 'web',
  slot: 0,
  outFile: '/h/logs/web-0-out.log',
  errorFile: '/h/logs/web-0-err.log',
  namespace: 'default',
  instances: 1,
  mode: 'kernel',
  pid: 20,
  status: 'online',
  completed: false,
  since: 0,
  uptime: 5_000,
  restarts: 0,
  planned: 0,
  earlyExits: 0,
  cpu: 0,
  memory: 0,
  ports: [],
  cutShort: 0,
  lastDeath: null,
  lastExit: null,
  reason: null,
};

export function processOf(rest: Partial<ProcessView>): ProcessView {
  return { ...processView, ...rest };
}

export function appOf({ spec, ...rest }: Partial<Omit<AppFacts, 'spec'>> & { spec?: object }): AppFacts {
  const wish = { name: 'web', script: '/app.js', cwd: '/', node: true, instances: 1, ...spec };
  return {
    spec: parseAppSpec(wish),
    processes: [processView],
    sockets: [],
    problems: [],
    logs: [{ file: '/h/logs/web-0-out.log', size: 10 }],
    stopped: [],
    ...rest,
  };
}

const view = { pid: 10, version: '1.0.0', protocol: 1, node: 'v20.19.0', home: '/h', uptime: 0 };

export const wellFacts: Facts = {
  now,
  here: { version: '1.0.0', build: 'b1', node: 'v20.19.0' },
  home: { path: '/h', isThere: true, mode: 0o700 },
  former: [],
  disks: [{ path: '/h', freeBytes: 1e9, freeShare: 0.5, freeFiles: 1e6 }],
  daemon: {
    answer: { kind: 'well', view, build: 'b1' },
    pid: 10,
    isStopped: false,
    guard: 'there',
    descriptors: { used: 30, limit: 20_000 },
    log: { warnings: [], deaths: [], isNewBoot: false },
  },
  state: { broken: [], quarantined: [], appsAside: [], notResurrected: [] },
  saved: { apps: [{ name: 'web', active: true }], quarantined: [], appsAside: [] },
  apps: [appOf({})],
  strays: [],
};
