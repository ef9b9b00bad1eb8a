// Where the command line of `nsv run` is loaded from. It lives as long as its apps, so like a daemon it runs from a copy: what it loads
// later has to be of its own build.
import { copyForDaemon } from '../client/copies.ts';
import { prepareHome } from '../os/trust/home.ts';
import { homePaths, ownRoot } from '../shared/paths.ts';

/** The root of the copy; the package if there can be none. */
export function copyOfPackage(): string {
  try {
    const paths = homePaths();
    prepareHome(paths);
    return copyForDaemon(paths);
  } catch {
    // The command itself says what is wrong with the home.
    return ownRoot;
  }
}
