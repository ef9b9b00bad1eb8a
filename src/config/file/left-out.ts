// Keys of PM2's config files that nsv does not support: it reports each once per file and never ignores one silently.
import { didYouMean, nearest } from '../../shared/nearest.ts';

const saas = "it belongs to PM2's hosted service";
const needless = 'nsv does not need it';

/** Top-level keys. */
export const leftOutOfFile: Readonly<Record<string, string>> = {
  deploy: 'nsv does not deploy to other machines: copy the files with your own tool, then run "nsv apply"',
};

/** Keys of an app. */
export const leftOutOfApp: Readonly<Record<string, string>> = {
  post_update: 'nsv does not pull from repositories: run these commands before "nsv apply"',
  treekill: 'nsv always stops the children of a process too',
  kill_retry_time: needless,
  watch_options: 'use watch, ignore_watch and watch_delay',
  disable_source_map_support: 'set source_map_support to false',
  vizion: needless,
  vizion_running: needless,
  automation: needless,
  force: 'use --force on the command line',
  write: needless,
  windowsHide: needless,
  pmx: saas,
  axm_actions: saas,
  axm_monitor: saas,
  axm_options: saas,
  axm_dynamic: saas,
  trace: saas,
  disable_trace: saas,
  deep_monitoring: saas,
  v8: saas,
  event_loop_inspector: saas,
  io: saas,
  execute_command: needless,
  username: 'use "uid" for the user to run as',
  instance_id: needless,
};

/** Why a key has no effect in a file that was written for PM2. */
export function unknownToBoth(key: string, known: readonly string[]): string {
  return `neither nsv nor PM2 knows it${didYouMean(nearest(key, known))}`;
}
