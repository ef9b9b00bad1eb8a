// Adds to a list of processes what the files of their apps say.
import type { ProcessView } from '../../ipc/views.ts';
import type { Context } from '../command.ts';
import type { ProcessRow } from '../render/table/columns.ts';
import { userOf, versionOf } from './app-facts.ts';

/** The daemon does not look at the files of apps for each `list`. */
export async function withFacts(
  context: Context,
  targets: string[],
  processes: readonly ProcessView[],
): Promise<ProcessRow[]> {
  const client = await context.connect();
  const apps = await client.describe({ targets });
  const facts = new Map(
    apps.map(({ spec }) => [
      spec.name,
      { version: versionOf(spec) ?? null, user: userOf(spec), watches: spec.watch.length > 0 },
    ]),
  );
  return processes.map((process) => {
    const { watches = false, ...others } = facts.get(process.name) ?? {};
    return { ...process, ...others, watching: watches && process.status !== 'stopped' };
  });
}
