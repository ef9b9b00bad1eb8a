// Everything that a daemon has and the next one needs.
import type { Registry } from '../../apps/registry.ts';
import type { Saving } from '../../state/saving.ts';
import type { Persistence } from '../persistence.ts';
import type { Gate } from './gate.ts';
import type { HandOverState } from './messages.ts';

/** One of Node's own handle objects, which `child.send` can pass on. */
export interface SharedHandle {
  readonly fd: number;
}

export type HandOverSource = ReturnType<typeof createHandOverSource>;

export interface HandOverParts {
  registry: Registry;
  persistence: Pick<Persistence, 'take' | 'settled'>;
  saving: Pick<Saving, 'flush'>;
  journal: { flush(): void };
  gate: Gate;
  /** Whether all apps are stopped, or being stopped, and the daemon ends after that. */
  isEnding(): boolean;
  /** The socket that receives commands. */
  server: SharedHandle;
}

export function createHandOverSource(owner: HandOverParts) {
  const { registry, persistence, saving, journal, gate, isEnding, server } = owner;

  /** The command that is under way, in words for people; undefined if there is none. */
  function command(): string | undefined {
    if (isEnding()) return 'the shutdown of this daemon';
    const busy = registry.groups.find(({ queue }) => queue.current);
    if (busy) return `"${busy.queue.current}" on ${busy.name}`;
    return gate.running > 0 ? 'the last command' : undefined;
  }

  function connections(): string | undefined {
    const busy = registry.groups.find(({ sockets }) => sockets.waiting > 0);
    return busy && `all processes of ${busy.name} are busy, and connections are waiting`;
  }

  return {
    /** Lets commands wait: see `Gate`. */
    holdCommands: () => gate.announce(),
    command,
    /** The hooks that run. A hook may take for ever: `timeout` is how long the app gives itself to start. */
    hooks: () =>
      registry.groups.flatMap(({ name, hook, spec }) =>
        hook ? [{ name: `${hook} of ${name}`, timeout: spec.listenTimeout }] : [],
      ),
    /** Work that must not be cut in two: a command, or connections on their way to a process. */
    busyWith() {
      const running = command();
      return running === undefined ? connections() : `${running} is still running`;
    },
    /** Resolves when the state and the saved list are on disk, or cannot be written. */
    async settled() {
      saving.flush();
      await persistence.settled();
    },
    /** Writes all events to the journal: what the next daemon adds comes behind them. */
    writeJournal: () => journal.flush(),
    /** Everything at this moment. `give` sends a handle to the next daemon and returns its number. */
    snapshot(give: (handle: SharedHandle) => number, lock: SharedHandle): HandOverState {
      const { groups } = registry;
      return {
        lock: give(lock),
        server: give(server),
        sockets: groups.flatMap(({ name: app, sockets }) =>
          sockets.held().map(({ handle, ...held }) => ({ app, ...held, handle: give(handle) })),
        ),
        inputs: groups.flatMap(({ all }) =>
          all.flatMap(({ child }) => {
            const { mark } = child?.plan ?? {};
            return child?.input && mark !== undefined ? { mark, handle: give(child.input.handle) } : [];
          }),
        ),
        state: persistence.take().toString(),
      };
    },
  };
}
