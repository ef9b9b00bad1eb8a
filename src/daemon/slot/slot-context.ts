// The app, as one of its slots sees it.
import type { Host } from '../process/host.ts';
import type { ManagedProcess } from '../process/process.ts';
import type { ProcessContext } from '../process/process-context.ts';

export interface SlotContext extends ProcessContext {
  readonly host: Host;
  /** The processes that hold the slots of the app. */
  readonly processes: readonly ManagedProcess[];
  /** Applies proposed settings to all future processes: one that was started with them has proved good. */
  commitSettings(): void;
  /** Called when a process is forgotten, too. */
  changed(): void;
  /** Resolves when the next daemon would know of everything so far. */
  kept(): Promise<void>;
}
