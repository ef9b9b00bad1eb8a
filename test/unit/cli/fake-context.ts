// A command line without a daemon: answers come from the test, and what was printed can be looked at.
import type { Context } from '../../../src/cli/command.ts';
import { entries } from '../../../src/cli/entries.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { renderFailure } from '../../../src/cli/render/failure.ts';
import { parseAppSpec } from '../../../src/config/app-spec.ts';
import type { EventView } from '../../../src/ipc/journal/event-views.ts';
import type { Client } from '../../../src/ipc/protocol.ts';
import type { AppView, ProcessView } from '../../../src/ipc/views.ts';
import { failure } from '../../../src/shared/errors.ts';

export interface Run {
  stdout: string;
  stderr: string;
  /** Method and parameters of each call, in order. */
  calls: [method: string, params: unknown][];
  /** Whether each connection was allowed to launch the daemon. */
  launches: boolean[];
}

interface Situation {
  /** What the daemon answers; without it no daemon runs. */
  daemon?: Partial<Client>;
  /** What happens while events are followed. */
  events?: EventView[];
  /** What is typed. */
  input?: string[];
  cwd?: string;
  env?: Record<string, string>;
}

export async function run(argv: string[], situation: Situation = {}): Promise<Run> {
  const { daemon, events = [], input = [], cwd = '/', env = { PATH: '/bin' } } = situation;
  const done: Run = { stdout: '', stderr: '', calls: [], launches: [] };
  const context: Context = {
    cwd,
    env,
    out: {
      terminal: { columns: 80, colour: false, tty: false },
      json: argv.includes('--json'),
      write(text) {
        done.stdout += `${text}\n`;
      },
      note(text) {
        done.stderr += `${text}\n`;
      },
      progress() {},
      async report(error) {
        done.stderr += `${await renderFailure(error)}\n`;
      },
      async pass(bytes) {
        done.stdout += Buffer.from(bytes).toString();
      },
      endWithReader() {},
    },
    commands: entries,
    printNotices({ shown }, notices) {
      for (const notice of notices) done.stderr += `nsv: ${shown}: ${notice}\n`;
    },
    introduce() {},
    run: runProgram,
    async connect({ launch } = { launch: false }) {
      done.launches.push(launch);
      if (!daemon && !launch) throw failure('DAEMON_NOT_RUNNING', { home: '/nowhere' });
      return recorded(daemon ?? {}, done.calls);
    },
    async *input() {
      yield* input;
    },
    async follow(targets, hear) {
      done.calls.push(['follow', { targets }]);
      for (const event of events) hear(event);
    },
    open: () => Promise.reject(failure('DAEMON_NOT_RUNNING', { home: '/nowhere' })),
    ask: (question) => question(recorded(daemon ?? {}, done.calls)),
    disconnect: () => undefined,
    async daemonExited() {
      done.calls.push(['daemonExited', undefined]);
    },
  };
  await runProgram(argv, context);
  return done;
}

/** Answers nothing but an empty list to what the test does not answer. */
function recorded(daemon: Partial<Client>, calls: Run['calls']): Client {
  return new Proxy(daemon, {
    get(target, name: keyof Client & string) {
      // Not a promise: `await` looks for this.
      if (String(name) === 'then') return undefined;
      return async (params: never) => {
        calls.push([name, params]);
        return (await target[name]?.(params)) ?? [];
      };
    },
  }) as Client;
}

export function processView(changes: Partial<ProcessView> = {}): ProcessView {
  return {
    id: 0,
    name: 'web',
    namespace: 'default',
    slot: 0,
    instances: 1,
    mode: 'kernel',
    pid: 4242,
    status: 'online',
    completed: false,
    since: 1_700_000_000_000,
    uptime: 61_000,
    restarts: 2,
    planned: 1,
    earlyExits: 0,
    cpu: 1.4,
    memory: 50 * 1024 * 1024,
    ports: ['3000'],
    cutShort: 0,
    lastDeath: null,
    lastExit: null,
    reason: null,
    outFile: '/logs/web-0-out.log',
    errorFile: '/logs/web-0-err.log',
    ...changes,
  };
}

export function appView(settings: object = {}, process: Partial<ProcessView> = {}): AppView {
  return {
    spec: parseAppSpec({
      name: 'web',
      script: '/srv/app.js',
      cwd: '/srv',
      interpreter: '/usr/bin/node',
      node: true,
      ...settings,
    }),
    createdAt: 1_700_000_000_000,
    sockets: ['3000'],
    problems: [],
    processes: [processView(process)],
  };
}
