// Finds the words of a PM2 command line that refer to existing apps.
import { basename, extname, resolve } from 'node:path';
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

/**
 * `-f` for a program that runs under the same name: PM2 starts more processes of that name, which in nsv are instances of one
 * app. Throws PM2_ONLY if they are to have settings of their own.
 */
export async function twinOf(words: readonly string[], tail: readonly string[], context: Context) {
  const [word] = words;
  if (word === undefined || words.length > 1) return undefined;
  const valueFor = (flag: string) => tail.find((each) => each.startsWith(`${flag}=`))?.slice(flag.length + 1);
  const name = valueFor('--name') ?? basename(word, extname(word));
  const apps = (await (await clientIfRunning(context))?.describe({ targets: [] })) ?? [];
  const app = apps.find(({ spec, processes }) => spec.name === name && processes.some(({ pid }) => pid !== null));
  if (!app || app.spec.script !== resolve(context.cwd, word)) return undefined;
  if (tail.some((each) => !/^--(force$|name=|instances=)/.test(each))) {
    const instead = `"${name}" runs already, and all processes of a name have the same settings; choose another --name`;
    throw failure('PM2_ONLY', { what: `pm2 start -f ${word} with other settings`, instead });
  }
  return { name, more: Number(valueFor('--instances') ?? 1) || 1 };
}

function noneIfUnknown(error: unknown): ProcessView[] {
  if (isFailure(error, 'NO_SUCH_APP')) return [];
  throw error;
}
