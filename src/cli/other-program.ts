// `--script` and `--cwd` of `nsv reload`: another release of an app, found as `nsv start` finds one.
import type { ProgramSpec } from '../config/app-spec.ts';
import { resolveProgram } from '../config/resolve.ts';
import type { Client } from '../ipc/protocol.ts';
import { failure } from '../shared/errors.ts';
import type { Context, Input, Row } from './command.ts';

export const programOptions: Row[] = [
  ['--script <file>', 'run this file from now on'],
  ['--cwd <directory>', 'run in this directory from now on'],
];

export async function otherProgram(
  context: Context,
  client: Client,
  { words: targets, options: { script, cwd } }: Input,
): Promise<{ program?: ProgramSpec }> {
  if (script === undefined && cwd === undefined) return {};
  const [app, ...others] = await client.describe({ targets });
  if (!app || others.length > 0)
    throw failure('BAD_USAGE', { detail: 'cannot reload several apps with one --script or --cwd: name one app' });
  return { program: resolveProgram(app.spec, { script: word(script), cwd: word(cwd) }, context) };
}

function word(option: Input['options'][string] | undefined): string | undefined {
  return typeof option === 'string' ? option : undefined;
}
