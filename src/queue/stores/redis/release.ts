// Gives back what dead processes had.
import type { IRedisClient, Job } from 'bullmq';
import { wait } from '../../../app/clock.ts';
import { diedError, mostDeaths } from '../../errors.ts';
import type { Library } from './connection.ts';
import type { Handles } from './handles.ts';

/** Looks at stalled jobs. Two are enough, unless a worker of BullMQ has looked, and so has kept all others from it for a while. */
const mostLooks = 20;
/** Milliseconds, for locks of one millisecond to be over, and for the next look to be allowed. */
const pause = 3;

/** Of a claim. `owner` can be told from it. */
export function newToken(owner: string, random: string): string {
  return `${owner}:${random}`;
}

/**
 * The token of whoever holds the job. BullMQ has no call for that. The key of a lock is read in one more place: `remove` of BullMQ itself,
 * in whichever language, so it is not going to change silently.
 */
export function holderOf(client: IRedisClient, { queue }: Handles, id: string): Promise<string | null> {
  return client.get(queue.toKey(`${id}:lock`));
}

/** Returns how many have changed. */
export async function release(
  client: IRedisClient,
  library: Library,
  handles: Handles,
  owner: string | undefined,
): Promise<number> {
  const backend = handles.worker().getBackend();
  const lost = new Set<string>();
  let failed = 0;
  for (const [id, token] of await active(client, handles)) {
    if (!token) lost.add(id);
    else if (owner !== undefined && token.startsWith(newToken(owner, ''))) {
      const found = await handles.find(id);
      if (found && (await isGivenUp(library, found.job, token))) failed += 1;
      // A lock that is over at once, and is stalled therefore: BullMQ has nothing else to say that a process has died.
      else if ((await backend.extendLock(id, token, 1)) === 1) lost.add(id);
    }
  }
  return failed + (await recover(handles, lost));
}

/** Gives back what was claimed with one of these tokens by a call that failed, because its answer was lost. */
export async function giveBack(client: IRedisClient, handles: Handles, tokens: readonly string[]): Promise<void> {
  for (const [id, token] of await active(client, handles)) {
    if (!token || !tokens.includes(token)) continue;
    await handles.worker().getBackend().moveJobFromActiveToWait(id, token).catch(ignoreVoid);
  }
}

/** The tasks that run, each with the token of who holds it, if anybody does. */
async function active(client: IRedisClient, handles: Handles): Promise<(readonly [string, string | null])[]> {
  const ids = (await handles.queue.getBackend().getRanges(['active'], 0, -1)).flat();
  return Promise.all(ids.map(async (id) => [id, await holderOf(client, handles, id)] as const));
}

/**
 * Of a stalled job that is stalled too often BullMQ notes that it has to fail, when it is its turn again. This one need not wait for that.
 */
async function isGivenUp({ UnrecoverableError }: Library, job: Job, token: string): Promise<boolean> {
  if (job.stalledCounter + 1 < mostDeaths) return false;
  try {
    await job.moveToFailed(withoutStack(new UnrecoverableError(diedError)), token);
    return true;
  } catch (error) {
    ignoreVoid(error);
    return false;
  }
}

/** BullMQ moves jobs without a lock back that it has seen in an earlier look, too. */
async function recover(handles: Handles, lost: Set<string>): Promise<number> {
  const backend = handles.worker().getBackend();
  const all = lost.size;
  for (let looks = 0; looks < mostLooks && lost.size > 0; looks += 1) {
    if (looks > 0) await wait(pause);
    for (const id of await backend.moveStalledJobsToWait()) lost.delete(id);
  }
  return all - lost.size;
}

/** Throws all others. The codes of BullMQ: the job is gone, its lock is gone, it is not in this state, another has its lock. */
export function ignoreVoid(error: unknown): void {
  if (![-1, -2, -3, -6].includes((error as { code?: number }).code ?? 0)) throw error;
}

/** The stack would be that of this store. */
export function withoutStack(error: Error): Error {
  error.stack = '';
  return error;
}
