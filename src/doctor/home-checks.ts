// Checks of the home, its files and the disks.
import { firstFew, renderSize } from '../shared/units.ts';
import { advice, ago, type Check, problem, when } from './check.ts';
import type { DiskFacts } from './facts.ts';

/** A disk below one of these limits is nearly full. */
const leastShare = 0.02;
const leastBytes = 100 * 1024 ** 2;
const leastFiles = 1_000;

export const homeChecks = {
  'node-too-old': problem(({ here }) =>
    when(isTooOld(here.node), `this is Node ${here.node}, and nsv needs 20.19 or newer`, 'install Node 20.19 or newer'),
  ),
  'home-unsafe': problem(({ home: { unsafe } }) => (unsafe ? [{ what: unsafe.detail, remedy: unsafe.hint }] : [])),
  'home-open': advice(({ home: { path, mode } }) =>
    when((mode & 0o077) !== 0, `other users can read ${path} (mode 0${mode.toString(8)})`, `run "chmod 700 ${path}"`),
  ),
  'home-unwritable': problem(({ home: { unwritable } }) =>
    when(
      unwritable !== undefined,
      `the nsv home is not writable (${unwritable}): apps keep running, but a new daemon cannot adopt them`,
      'make it writable, or set NSV_HOME to a writable directory',
    ),
  ),
  'home-path-long': problem(({ home: { tooLong } }) =>
    when(
      tooLong !== undefined,
      `the path of the home is ${tooLong} bytes too long for a socket`,
      'set NSV_HOME to a shorter path',
    ),
  ),
  'disk-full': problem(({ disks }) =>
    disks.filter(isNearlyFull).map(({ path, freeBytes, freeFiles }) => ({
      what:
        freeFiles !== undefined && freeFiles < leastFiles
          ? `the disk of ${path} has room for only ${freeFiles} more files`
          : `the disk of ${path} has only ${renderSize(freeBytes)} left`,
      remedy:
        'free some space: "nsv flush" empties logs, and --log-total limits them; on a full disk, log lines are lost',
    })),
  ),
  'state-broken': problem(({ state, daemon }) =>
    state.broken.map(({ file, why }) => ({
      what: `${file} is unusable: ${why}`,
      remedy:
        daemon.answer.kind === 'well'
          ? 'no action needed: the daemon rewrites it with the next change'
          : 'run "nsv list": it uses the previous file, or says why it cannot; then check that no app is missing',
    })),
  ),
  'state-set-aside': problem(({ state, now }) =>
    state.quarantined.map(({ file, at }) => ({
      what: `an unusable state file was moved to ${file} ${ago(at, now)}`,
      remedy: 'check that "nsv list" shows all your apps (daemon.log has the reason), then delete the file',
    })),
  ),
  'apps-set-aside': problem(({ state, saved, now }) =>
    [...state.appsAside, ...saved.appsAside].map(({ file, at }) => ({
      what: `unusable records of apps were moved to ${file} ${ago(at, now)}`,
      remedy: 'it says which apps, and why: start them again with the settings in the file, then delete it',
    })),
  ),
  'saved-broken': problem(({ saved: { broken } }) =>
    when(broken !== undefined, `the saved list cannot be read: ${broken}`, 'run "nsv save" to rewrite it'),
  ),
  'saved-set-aside': problem(({ saved, now }) =>
    saved.quarantined.map(({ file, at }) => ({
      what: `an unreadable saved list was moved to ${file} ${ago(at, now)}`,
      remedy: 'run "nsv save" while all your apps are running, then delete the file',
    })),
  ),
  asleep: problem(({ state: { notResurrected } }) =>
    when(
      notResurrected.length > 0,
      `not started again since the last reboot: ${firstFew(notResurrected)}`,
      'run "nsv resurrect" to start them ("nsv startup" does so at every boot)',
    ),
  ),
} satisfies Record<string, Check>;

function isTooOld(node: string): boolean {
  const [major = 0, minor = 0] = node.replace(/^v/, '').split('.').map(Number);
  return major < 20 || (major === 20 && minor < 19);
}

function isNearlyFull({ freeBytes, freeShare, freeFiles = leastFiles }: DiskFacts): boolean {
  return freeBytes < leastBytes || freeShare < leastShare || freeFiles < leastFiles;
}
