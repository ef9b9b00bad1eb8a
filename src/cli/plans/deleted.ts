// Prints what `nsv delete` has deleted, and what is left.
import { dirname } from 'node:path';
import type { ProcessView } from '../../ipc/views.ts';
import { isDevice } from '../../shared/log-file.ts';
import type { Context } from '../command.ts';
import { printJson, printProcesses } from '../print.ts';
import { printable } from '../render/text.ts';

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
