// `nsv reload --script` and `--cwd`: resolves another release of an app in the same way as `nsv start`.
import type { ProgramSpec } from '../config/app-spec.ts';
import { resolveProgram } from '../config/resolve.ts';
import type { Client } from '../ipc/protocol.ts';
import type { SearchPlace } from '../os/programs.ts';
import { failure } from '../shared/errors.ts';

export async function otherProgram(
  at: SearchPlace,
  client: Client,
  targets: string[],
  release: { script?: string; cwd?: string },
): Promise<{ program?: ProgramSpec }> {
  if (release.script === undefined && release.cwd === undefined) return {};
  const [app, ...others] = await client.describe({ targets });
  if (!app || others.length > 0)
    throw failure('BAD_USAGE', { detail: '--script and --cwd apply to a single app: name one app to reload' });
  return { program: resolveProgram(app.spec, { script: release.script, cwd: release.cwd }, at) };
}
