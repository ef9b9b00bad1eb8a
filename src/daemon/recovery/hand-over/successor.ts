// What a daemon receives from the one that it replaces.
import { renameSync } from 'node:fs';
import type { Handle } from '../../../os/sockets/node-handles.ts';
import { notifyGuard } from '../../../os/terminate.ts';
import { detailOf } from '../../../shared/errors.ts';
import { type HomePaths, ownRoot } from '../../../shared/paths.ts';
import { version } from '../../../shared/version.ts';
import type { Snapshot } from '../../process/record.ts';
import { AddressBook } from '../../sockets/address-book.ts';
import { createGroupSockets } from '../../sockets/create-group-sockets.ts';
import type { HeldHandle } from '../../sockets/held-socket.ts';
import { decodeState, OtherVersionError } from '../../state/codec.ts';
import { shareClaim } from '../../state/singleton.ts';
import type { HandOverState, ToPredecessor, ToSuccessor } from './messages.ts';

export type InheritedState = Awaited<ReturnType<typeof inheritedStateOf>>;

/**
 * Resolves when the previous daemon waits only for `accept`. If that daemon decides to carry on, it kills this process.
 * Rejects if it ends before that: then its guard or the next command starts another daemon.
 */
export function receiveHandOver(paths: HomePaths): Promise<InheritedState> {
  const handles = new Map<number, Handle>();
  let state: HandOverState | undefined;
  let snapshot: Snapshot | undefined;
  let hasTakenOver = false;
  return new Promise((resolve, reject) => {
    process.once('disconnect', () => {
      if (!hasTakenOver) reject(new Error('the previous daemon exited during the hand-over'));
    });
    process.on('message', (message: ToSuccessor, handle: unknown) => {
      if (message.type === 'handle') handles.set(message.number, handle as Handle);
      else if (message.type === 'state') {
        state = message.handOver;
        snapshot = checked(state);
      } else if (message.type !== 'take') send({ type: 'unable', reason: otherVersion });
      else if (state && snapshot) {
        hasTakenOver = true;
        inheritedStateOf(state, snapshot, handles, paths).then(resolve, reject);
      }
    });
    const { pid, version: node, execPath: program } = process;
    send({ type: 'booted', pid, version, node, program, root: ownRoot });
  });
}

const otherVersion =
  `its state has another format than that of nsv ${version}; ` +
  'to switch versions, run "nsv save", "nsv kill" and "nsv resurrect"';

/** Undefined if this daemon cannot continue from the state; it has then sent the reason. */
function checked({ state }: HandOverState): Snapshot | undefined {
  try {
    const { snapshot, invalid } = decodeState(Buffer.from(state));
    // The previous daemon still manages these apps, so it is to carry on.
    for (const { name, problem } of invalid) throw new Error(`the record of "${name}" cannot be used: ${problem}`);
    // Throws if this Node cannot share sockets in the way an app asks for.
    for (const { spec } of snapshot.groups)
      createGroupSockets({ group: spec.name, schedule: spec.schedule, node: spec.node, book: new AddressBook() });
    send({ type: 'able' });
    return snapshot;
  } catch (error) {
    const reason = error instanceof OtherVersionError ? otherVersion : detailOf(error);
    send({ type: 'unable', reason });
    return undefined;
  }
}

async function inheritedStateOf(
  { lock, server, sockets, inputs }: HandOverState,
  snapshot: Snapshot,
  handles: ReadonlyMap<number, Handle>,
  paths: HomePaths,
) {
  const handleOf = (number: number) => {
    const handle = handles.get(number);
    if (handle) return handle;
    throw new Error('a socket of the previous daemon did not arrive');
  };
  // Handles that the previous daemon has closed since it sent them must not stay open: nobody would serve their
  // clients.
  const open = new Set([lock, server, ...[...sockets, ...inputs].map((note) => note.handle)]);
  for (const [number, handle] of handles) if (!open.has(number)) handle.close();
  return {
    snapshot,
    claim: await shareClaim(paths, handleOf(lock).fd),
    /** The socket that receives commands. */
    server: handleOf(server),
    socketsOf: (app: string): HeldHandle[] =>
      sockets
        .filter((socket) => socket.app === app)
        .map(({ key, fixed, handle }) => ({ key, fixed, handle: handleOf(handle) })),
    /** The write end of a process's standard input. */
    inputOf(mark: string) {
      const input = inputs.find((candidate) => candidate.mark === mark);
      return input && handleOf(input.handle);
    },
    /** Takes the home: from here on, this is its daemon. Throws if the previous daemon has withdrawn it. */
    accept() {
      // The guard first: if this daemon dies in between, the guard starts another, which finds the home taken and
      // exits.
      notifyGuard();
      renameSync(paths.pendingPid, paths.pid);
      process.disconnect?.();
    },
  };
}

function send(message: ToPredecessor): void {
  process.send?.(message);
}
