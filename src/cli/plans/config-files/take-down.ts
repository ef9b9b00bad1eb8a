// Stops and deletes the apps of a config file. Only their names are used, so the programs need not exist any more.
import { dirname } from 'node:path';
import { namesOf } from '../../../client/running.ts';
import type { Client } from '../../../ipc/protocol.ts';
import type { ProcessView } from '../../../ipc/views.ts';
import { failure } from '../../../shared/errors.ts';
import { isDevice } from '../../../shared/log-file.ts';
import type { Context, Input } from '../../command.ts';
import { printJson, printProcesses } from '../../print.ts';
import { printable } from '../../render/text.ts';
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

export async function printDeleted(context: Context, deleted: ProcessView[]): Promise<void> {
  const { out } = context;
  if (out.json) return printJson(out, deleted);
  const names = [...new Set(deleted.map(({ name }) => name))];
  const files = deleted.flatMap(({ outFile, errorFile, logFile = null }) => [outFile, errorFile, logFile]);
  const kept = files.filter((file) => file !== null && !isDevice(file)).map((file) => dirname(file!));
  const places = [...new Set(kept)];
  const logs = places.length === 0 ? '' : `; ${names.length === 1 ? 'its' : 'their'} logs stay in ${places.join(', ')}`;
  out.write(printable(`deleted ${names.join(', ')}${logs}`));
  // `nsv run` ends with its last app.
  await printProcesses(out, (await context.ask((client) => client.list({ targets: [] }))) ?? []);
}
