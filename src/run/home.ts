// The nsv home in a container: used if possible, but not required.
import type { Daemon } from '../daemon/daemon.ts';
import type { Logger } from '../daemon/logger.ts';
import { type Claim, claimHome } from '../daemon/state/singleton.ts';
import { detailOf, failure } from '../shared/errors.ts';
import { type HomePaths, homePaths } from '../shared/paths.ts';

/** The home of a user without a home directory: it does not exist. */
const nowhere = '/.nsv';

export function pathsHere(): HomePaths {
  try {
    return homePaths();
  } catch {
    // os.homedir() fails for users who are not in /etc/passwd.
    return homePaths(nowhere);
  }
}

/** Opens the home to commands. Undefined if there can be no home. Rejects with HOME_TAKEN if another daemon uses it. */
export async function openHome(paths: HomePaths, daemon: Daemon, logger: Logger): Promise<Claim | undefined> {
  const { home } = paths;
  let claim: Claim | undefined;
  try {
    claim = await claimHome(paths);
    if (claim) await daemon.serve();
  } catch (error) {
    claim?.release();
    logger.info(
      { home, detail: detailOf(error) },
      'no usable home: state is kept in memory only, and commands cannot connect',
    );
    return undefined;
  }
  if (!claim) throw failure('HOME_TAKEN', { home });
  return claim;
}
