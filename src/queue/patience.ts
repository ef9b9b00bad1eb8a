// Goes on trying while a store cannot be reached.
import { wait } from '../app/clock.ts';

/** Milliseconds before the second attempt; each further wait is twice as long, up to the second number. */
const waits = [50, 5_000] as const;

/** Calls `attempt` until it resolves, or `isOver`; then it resolves with undefined. `tell` hears each error. */
export async function untilReached<T>(
  attempt: () => Promise<T>,
  isOver: () => boolean,
  tell: (error: unknown) => void,
): Promise<T | undefined> {
  for (let ms: number = waits[0]; !isOver(); ms = Math.min(ms * 2, waits[1])) {
    try {
      return await attempt();
    } catch (error) {
      tell(error);
      await wait(ms * (0.5 + Math.random() / 2));
    }
  }
  return undefined;
}
