// Asks Node processes for the heap that they use after full garbage collections (src/worker/insight/collections.ts).
import type { Question } from '../../ipc/questions.ts';
import type { Child } from '../launch/launcher.ts';
import { type Asked, ask } from '../process/questions.ts';

/** Bytes. `used`: null if there was no full collection. */
export interface HeapLevel {
  used: number | null;
  limit: number;
}

/** `onLevel` is called with each level that a process reports. */
export function createHeapQuestions(
  question: Extract<Question, { kind: 'collections' }>,
  onLevel: (child: Child, level: HeapLevel) => void,
) {
  const asked = new Map<Child, Asked>();
  const unable = new WeakSet<Child>();
  return {
    /** Asks the process, unless it has been asked, or does not know the question. Its channel may be there only later. */
    ask(child: Child) {
      if (asked.has(child) || unable.has(child)) return;
      const withdrawable = ask(child, question, (step, text) => {
        if (step === 'refused') unable.add(child);
        if (step === 'lost' || step === 'refused' || step === 'done') asked.delete(child);
        const level = step === 'part' ? parseLevel(text) : undefined;
        if (level) onLevel(child, level);
      });
      if (withdrawable) asked.set(child, withdrawable);
    },
    /** Requests the next level of a process that has given one. */
    more: (child: Child) => asked.get(child)?.more(),
    /** Withdraws all questions. */
    close() {
      for (const each of asked.values()) each.unask();
      asked.clear();
    },
  };
}

/** It comes from the app's process, which can send anything. */
export function parseLevel(text: string): HeapLevel | undefined {
  try {
    const { used, limit } = Object(JSON.parse(text)) as Record<string, unknown>;
    if (!isBytes(limit) || !(used === null || isBytes(used))) return undefined;
    return { used, limit };
  } catch {
    return undefined;
  }
}

function isBytes(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
