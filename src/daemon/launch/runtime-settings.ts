// Gives a new Node process its runtime settings before its program runs. Messages arrive only when the event loop turns, and variables can
// be read by every process of the user; so the values come through a pipe, which the preload reads to the end (worker/runtime-settings.ts).
import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { AppSpec } from '../../config/app-spec.ts';
import { settingsVariable } from '../../os/own-variables.ts';
import type { LaunchPlan } from './launcher.ts';

/** Behind Node's channel, and the pipe to a thread (spawn.ts). */
const descriptorFor = ({ watchdog }: AppSpec): number => (watchdog > 0 ? 5 : 4);

export function settingsVariableOf({ spec, runtimeSettings }: LaunchPlan): Record<string, string> {
  if (!runtimeSettings) return {};
  const { version, values } = runtimeSettings;
  return { [settingsVariable]: `${descriptorFor(spec)}:${Buffer.byteLength(values)}:${version}` };
}

/** Under Linux, the system holds them all until they are read. If they never are, the error comes with the end of the process. */
export function giveSettings({ stdio }: ChildProcess, { spec, runtimeSettings }: LaunchPlan): void {
  const pipe = stdio[descriptorFor(spec)];
  if (!runtimeSettings || !(pipe instanceof Socket)) return;
  pipe.on('error', () => {});
  pipe.end(runtimeSettings.values, () => pipe.destroy());
}
