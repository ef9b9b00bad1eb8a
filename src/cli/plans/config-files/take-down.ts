// Stops and deletes the apps of a config file. Only their names are used, so the programs need not exist any more.

import { namesOf } from '../../../client/running.ts';
import type { Client } from '../../../ipc/protocol.ts';
import { failure } from '../../../shared/errors.ts';
import type { Context, Input } from '../../command.ts';
import { printProcesses } from '../../print.ts';
import { printDeleted } from '../deleted.ts';
import { chosenConfig } from './chosen.ts';

export function stopConfig(context: Context, word: string, input: Input): Promise<void> {
  return takeDown(context, word, input, async (client, targets) =>
    printProcesses(context.out, await client.stop({ targets })),
  );
}

export function removeConfig(context: Context, word: string, input: Input): Promise<void> {
  return takeDown(context, word, input, async (client, targets) =>
    printDeleted(context, await client.delete({ targets })),
  );
}

async function takeDown(
  context: Context,
  word: string,
  input: Input,
  act: (client: Client, targets: string[]) => Promise<void>,
): Promise<void> {
  const { apps, shown, loaded } = await chosenConfig(context, word, input);
  loaded.mistakes.throwIfAny();
  const client = await context.connect();
  const known = namesOf(await client.list({ targets: [] }));
  const targets = apps.map(({ name }) => name).filter((name) => known.has(name));
  if (targets.length === 0) throw failure('NO_SUCH_APP', { target: shown });
  await act(client, targets);
}
