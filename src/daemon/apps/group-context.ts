// The app, as its own parts see it.
import type { ManagedProcess } from '../process/process.ts';
import type { SlotContext } from '../slot/slot-context.ts';
import type { CommandQueue } from './command-queue.ts';

export interface GroupContext extends SlotContext {
  readonly name: string;
  /** The processes by slot, then those that have left their slot or may take one. */
  readonly all: readonly ManagedProcess[];
  readonly queue: CommandQueue;
  /** Whether it is being removed. */
  readonly isRetired: boolean;
}
