// Reports Node processes whose heap comes close to V8's limit, at which they would die. They tell it themselves, after the
// collection that could not free enough.
import type { Clock } from '../../shared/clock.ts';
import type { Child } from '../launch/launcher.ts';
import { createHeapQuestions, type HeapLevel } from './heap-questions.ts';

/** Milliseconds until a process is asked that was not there before, or was not connected. */
const every = 1_000;

export interface HeapWatch {
  clock: Clock;
  /** Share of V8's limit, from 0 to 1. */
  share: number;
  /** The processes to watch now. */
  children(): readonly Child[];
  onExceeded(child: Child, level: HeapLevel & { used: number }): void;
}

/** Returns a function that ends the watch. */
export function watchHeap({ clock, share, children, onExceeded }: HeapWatch): () => void {
  const questions = createHeapQuestions({ kind: 'collections', above: share }, (child, { used, limit }) => {
    if (used !== null && used > share * limit) onExceeded(child, { used, limit });
  });
  let cancel = () => {};
  function look(): void {
    for (const child of children()) questions.ask(child);
    cancel = clock.after(every, look);
  }
  look();
  return () => {
    cancel();
    questions.close();
  };
}
