// All that a daemon has and the next one needs.

import type { Registry } from '../../apps/registry.ts';
import type { Saving } from '../../state/saving.ts';
import type { Persistence } from '../persistence.ts';
import type { Gate } from './gate.ts';
import type { HandOverState } from './messages.ts';

/** One of Node's own wraps, which `child.send` knows how to pass on. */
export interface SharedHandle {
  readonly fd: number;
}

export interface HandOverSource {
  /** Until the returned function is called no command begins. */
  holdCommands(): () => void;
  /** The command that is under way, for people; undefined when none is. */
  command(): string | undefined;
  /** All that must not be cut in two: the command, and connections that are on their way to a process. */
  busyWith(): string | undefined;
  /** Resolves when the state and the saved list are on the disk, or cannot be. */
  settled(): Promise<void>;
  /** As it is at this moment. `give` has the next daemon given a handle and returns its number. */
  draw(give: (handle: SharedHandle) => number, lock: SharedHandle): HandOverState;
}

export interface Owner {
  registry: Registry;
  persistence: Pick<Persistence, 'take' | 'settled'>;
  saving: Pick<Saving, 'flush'>;
  gate: Gate;
  /** All apps are stopped, or are being, and then the daemon ends. */
  isEnding(): boolean;
  /** The socket on which commands are heard. */
  server: SharedHandle;
}

export function createHandOverSource({ registry, persistence, saving, gate, isEnding, server }: Owner): HandOverSource {
  function command(): string | undefined {
    if (isEnding()) return 'the shutdown of this daemon';
    const busy = registry.groups.find(({ queue }) => queue.current);
    if (busy) return `"${busy.queue.current}" on ${busy.name}`;
    return gate.running > 0 ? 'the last command' : undefined;
  }

  function connections(): string | undefined {
    const busy = registry.groups.find(({ sockets }) => sockets.waiting > 0);
    return busy && `connections of ${busy.name} that are waiting for a free process`;
  }

  return {
    holdCommands: () => gate.close(),
    command,
    busyWith: () => command() ?? connections(),
    async settled() {
      saving.flush();
      await persistence.settled();
    },
    draw(give, lock) {
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
