// Where a process is, as `nsv stack --json` prints it.
import type { Standing } from '../../os/blocked/standing.ts';

export interface Frame {
  /** Empty for an anonymous function. */
  function: string;
  /** A path, or a name such as `node:net`. Of the source, if there is a source map. */
  file: string;
  /** From 1 on. Null if unknown. */
  line: number | null;
}

export interface StackView {
  id: number;
  name: string;
  slot: number;
  pid: number | null;
  /**
   * `idle` and `busy`: the event loop turns. `blocked`: it does not. `unknown`: the process cannot be inspected, and
   * `problem` says why.
   */
  state: 'idle' | 'busy' | 'blocked' | 'unknown';
  /** Percent of a tenth of a second in which JavaScript ran; null unless the event loop turns. */
  busy: number | null;
  /** What the event loop waits for: the number of resources of each type. */
  waitsFor: Record<string, number>;
  /** Innermost first. For a busy process, where it spent most of that time. */
  frames: Frame[];
  /** What the kernel knows about a blocked process; null otherwise, or without /proc. */
  kernel: Standing | null;
  /** Why there is no stack. */
  problem: string | null;
}
