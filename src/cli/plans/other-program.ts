// `--script` and `--cwd` of `nsv reload`: another release of an app, found as `nsv start` finds one.
import type { ProgramSpec } from '../../config/app-spec.ts';
import { resolveProgram } from '../../config/resolve.ts';
import type { Client } from '../../ipc/protocol.ts';
import type { Surroundings } from '../../os/programs.ts';
import { failure } from '../../shared/errors.ts';
import type { Row } from '../command.ts';

export const programOptions: Row[] = [
  ['--script <file>', 'run this file from now on'],
  ['--cwd <directory>', 'run in this directory from now on'],
];

export async function otherProgram(
  at: Surroundings,
  client: Client,
  targets: string[],
  wish: { script?: string; cwd?: string },
): Promise<{ program?: ProgramSpec }> {
  if (wish.script === undefined && wish.cwd === undefined) return {};
  const [app, ...others] = await client.describe({ targets });
  if (!app || others.length > 0)
    throw failure('BAD_USAGE', { detail: 'cannot reload several apps with one --script or --cwd: name one app' });
  return { program: resolveProgram(app.spec, { script: wish.script, cwd: wish.cwd }, at) };
}
