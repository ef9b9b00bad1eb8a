// Finds the words of a PM2 command line that refer to existing apps.
import { resolve } from 'node:path';
import type { AppView, ProcessView } from '../../ipc/views.ts';
import { isFile } from '../../os/programs.ts';
import { failure, isFailure } from '../../shared/errors.ts';
import { type Context, clientIfRunning } from '../command.ts';

/** Replaces script paths with the names of the apps that run them. Throws NO_SUCH_APP if "all" matches none. */
export async function knownTargets(context: Context, words: readonly string[]): Promise<string[]> {
  const files = words.filter((word) => isFile(resolve(context.cwd, word)));
  if (files.length === 0 && !words.includes('all')) return [...words];
  const apps = (await (await clientIfRunning(context))?.describe({ targets: [] })) ?? [];
  if (apps.length === 0 && words.includes('all')) throw failure('NO_SUCH_APP', { target: 'all' });
  return words.flatMap((word) => namesFor(apps, word, resolve(context.cwd, word)));
}

function namesFor(apps: readonly AppView[], word: string, script: string): string[] {
  if (apps.some(({ spec }) => spec.name === word)) return [word];
  const names = apps.filter(({ spec }) => spec.script === script).map(({ spec }) => spec.name);
  return names.length > 0 ? names : [word];
}

/** The words of `pm2 start` that name running apps: PM2 restarts these. */
export async function runningAmong(context: Context, words: readonly string[]): Promise<string[]> {
  const candidates = words.filter((word) => !isFile(resolve(context.cwd, word)));
  if (candidates.length === 0) return [];
  const client = await clientIfRunning(context);
  if (!client) return [];
  const running: string[] = [];
  for (const word of candidates) {
    const processes = await client.list({ targets: [word] }).catch(noneIfUnknown);
    if (processes.length > 0 && processes.every(({ pid }) => pid !== null)) running.push(word);
  }
  return running;
}

function noneIfUnknown(error: unknown): ProcessView[] {
  if (isFailure(error, 'NO_SUCH_APP')) return [];
  throw error;
}
