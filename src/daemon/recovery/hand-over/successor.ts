// What a daemon gets from the one whose place it takes.
import { renameSync } from 'node:fs';
import type { Handle } from '../../../os/handle.ts';
import { tellGuard } from '../../../os/terminate.ts';
import { detailOf } from '../../../shared/errors.ts';
import type { HomePaths } from '../../../shared/paths.ts';
import { version } from '../../../shared/version.ts';
import type { Snapshot } from '../../process/record.ts';
import { AddressBook } from '../../sockets/address-book.ts';
import { createGroupSockets, type HeldHandle } from '../../sockets/group-sockets.ts';
import { decodeState } from '../../state/codec.ts';
import { type Claim, shareClaim } from '../../state/singleton.ts';
import type { HandOverState, ToPredecessor, ToSuccessor } from './messages.ts';

export interface InheritedState {
  snapshot: Snapshot;
  claim: Claim;
  /** On which commands are heard. */
  server: Handle;
  socketsOf(app: string): HeldHandle[];
  /** The writing end of the standard input of a process. */
  inputOf(mark: string): Handle | undefined;
  /** From here on this is the daemon of the home. Throws when it is not to be. */
  accept(): void;
}

/**
 * Resolves when the daemon before this one waits for nothing but `accept`. If it would rather go on it kills this process.
 * Rejects when it ends before that: its guard or the next command starts another.
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
      if (message.type === 'estate') {
        state = message.estate;
        snapshot = proven(state);
      }
      if (message.type === 'take' && state && snapshot) {
        hasTakenOver = true;
        inheritedStateOf(state, snapshot, handles, paths).then(resolve, reject);
      }
    });
    const { pid, version: node, execPath: program } = process;
    tell({ type: 'booted', pid, version, node, program });
  });
}

/** Undefined when this daemon cannot go on from it, and has said why. */
function proven({ state }: HandOverState): Snapshot | undefined {
  try {
    const snapshot = decodeState(Buffer.from(state));
    for (const { spec } of snapshot.groups) expectSupported(spec);
    tell({ type: 'able' });
    return snapshot;
  } catch (error) {
    tell({ type: 'unable', reason: detailOf(error) });
    return undefined;
  }
}

/** Throws where this Node cannot share sockets as the app wants it. */
function expectSupported({ name, schedule, node }: Snapshot['groups'][number]['spec']): void {
  createGroupSockets({ group: name, schedule, node, book: new AddressBook() });
}

async function inheritedStateOf(
  { lock, server, sockets, inputs }: HandOverState,
  snapshot: Snapshot,
  handles: ReadonlyMap<number, Handle>,
  paths: HomePaths,
): Promise<InheritedState> {
  const handleOf = (number: number) => {
    const handle = handles.get(number);
    if (handle) return handle;
    throw new Error('a socket of the previous daemon did not arrive');
  };
  // What that one has closed since it gave it must not stay open here: clients would wait for nobody.
  const open = new Set([lock, server, ...[...sockets, ...inputs].map((note) => note.handle)]);
  for (const [number, handle] of handles) if (!open.has(number)) handle.close();
  return {
    snapshot,
    claim: await shareClaim(paths, handleOf(lock).fd),
    server: handleOf(server),
    socketsOf: (app) =>
      sockets
        .filter((socket) => socket.app === app)
        .map(({ key, slot, fixed, handle }) => ({ key, slot, fixed, handle: handleOf(handle) })),
    inputOf(mark) {
      const input = inputs.find((candidate) => candidate.mark === mark);
      return input && handleOf(input.handle);
    },
    accept() {
      // First the guard: if this one dies in between, it starts another, which finds the home taken and leaves.
      tellGuard();
      renameSync(paths.heir, paths.pid);
      process.disconnect?.();
    },
  };
}

function tell(message: ToPredecessor): void {
  process.send?.(message);
}
