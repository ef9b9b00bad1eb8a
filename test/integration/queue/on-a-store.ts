// What the tests of stores do.
import { onTestFinished } from 'vitest';
import type { Claim, ClaimOptions, Store, StoredTask } from '../../../queue/index.cjs';
import { eventually } from '../../helpers/eventually.ts';

export const how: ClaimOptions = { worker: 'here:1', owner: 'one', concurrency: 100 };

/** Opens stores that are closed at the end of the test. */
export function opening(open: () => Promise<Store>) {
  async function opened(): Promise<Store> {
    const store = await open();
    onTestFinished(() => store.close());
    return store;
  }

  async function withTasks(...ids: string[]): Promise<Store> {
    const store = await opened();
    for (const id of ids) await add(store, id);
    return store;
  }

  return { opened, withTasks };
}

export function add(store: Store, id: string, { data = 'null', delay = 0, priority = 0 } = {}): Promise<boolean> {
  return store.add('q', { id, data, delay, priority });
}

export async function claimed(store: Store, options: Partial<ClaimOptions> = {}, queue = 'q') {
  const answer = await store.claim(queue, { ...how, ...options });
  if ('task' in answer) return answer;
  throw new Error(`nothing to claim; another look in ${answer.retryIn} ms`);
}

/** The next task, when its time has come. */
export function soon(store: Store, options: Partial<ClaimOptions> = {}): Promise<{ claim: Claim; task: StoredTask }> {
  return eventually(async () => {
    const answer = await store.claim('q', { ...how, ...options });
    return 'task' in answer ? answer : undefined;
  }, 'the task is handed out');
}

export async function ids(store: Store, count: number): Promise<string[]> {
  const found: string[] = [];
  for (let n = 0; n < count; n += 1) found.push((await claimed(store)).task.id);
  return found;
}

/** Takes back everything that runs, as if its processes had died. Returns how many tasks. */
export async function takenBack(store: Store): Promise<number> {
  return store.release('q', await store.renew('q', []));
}
