// The home, the disks, and what is kept there.
import { renderSize } from '../shared/units.ts';
import { ago, type Check, firstFew, when } from './check.ts';
import type { DiskFacts } from './facts.ts';

/** A disk is nearly full below either of these. */
const leastShare = 0.02;
const leastBytes = 100 * 1024 ** 2;
const leastFiles = 1_000;

export const homeChecks = {
  'node-too-old': {
    level: 'problem',
    find: ({ here }) =>
      when(isTooOld(here.node), `this is Node ${here.node}, and nsv needs 20.19`, 'install Node 20.19 or newer'),
  },
  'home-unsafe': {
    level: 'problem',
    find: ({ home: { unsafe } }) => (unsafe ? [{ what: unsafe.detail, remedy: unsafe.hint }] : []),
  },
  'home-open': {
    level: 'advice',
    find: ({ home: { path, mode } }) =>
      when(
        (mode & 0o077) !== 0,
        `other users may look into ${path} (its mode is 0${mode.toString(8)})`,
        `chmod 700 ${path}`,
      ),
  },
  'home-unwritable': {
    level: 'problem',
    find: ({ home: { unwritable } }) =>
      when(
        unwritable !== undefined,
        `nothing can be written to the home (${unwritable}): the apps go on, but no daemon can go on from here`,
        'mount it writable, or set NSV_HOME to a directory that is',
      ),
  },
  'home-on-network': {
    level: 'problem',
    find: ({ home: { path, network } }) =>
      when(
        network !== undefined,
        `${path} is on a network file system (${network}), where several machines would take it for theirs`,
        'set NSV_HOME to a directory on a disk of this machine',
      ),
  },
  'home-path-long': {
    level: 'problem',
    find: ({ home: { tooLong } }) =>
      when(
        tooLong !== undefined,
        `the path of the home is ${tooLong} bytes too long for a socket`,
        'set NSV_HOME to a shorter one',
      ),
  },
  'disk-full': {
    level: 'problem',
    find: ({ disks }) =>
      disks.filter(isNearlyFull).map(({ path, freeBytes, freeFiles }) => ({
        what:
          freeFiles !== undefined && freeFiles < leastFiles
            ? `the disk with ${path} has room for ${freeFiles} more files`
            : `the disk with ${path} has ${renderSize(freeBytes)} left`,
        remedy: 'make room: "nsv flush" empties logs, --log-total limits them; on a full disk apps lose lines',
      })),
  },
  'state-broken': {
    level: 'problem',
    find: ({ state, daemon }) =>
      state.broken.map(({ file, why }) => ({
        what: `${file} cannot be used: ${why}`,
        remedy:
          daemon.answer.kind === 'well'
            ? 'nothing: the daemon writes it anew with the next change'
            : 'run "nsv list": the next daemon sets it aside and uses the one before; see then that no app is missing',
      })),
  },
  'state-set-aside': {
    level: 'problem',
    find: ({ state, now }) =>
      state.setAside.map(({ file, at }) => ({
        what: `a state that could not be used was set aside ${ago(at, now)} as ${file}`,
        remedy: 'see that "nsv list" has all your apps (daemon.log says why it was), then delete the file',
      })),
  },
  'saved-broken': {
    level: 'problem',
    find: ({ saved: { broken } }) =>
      when(broken !== undefined, `the saved list cannot be read: ${broken}`, '"nsv save" writes it anew'),
  },
  'saved-set-aside': {
    level: 'problem',
    find: ({ saved, now }) =>
      saved.setAside.map(({ file, at }) => ({
        what: `a saved list that could not be read was set aside ${ago(at, now)} as ${file}`,
        remedy: 'run "nsv save" when all your apps run, then delete the file',
      })),
  },
  asleep: {
    level: 'problem',
    find: ({ state: { asleep } }) =>
      when(
        asleep.length > 0,
        `the system was started anew, and what ran before does not: ${firstFew(asleep)}`,
        'nsv resurrect (at each boot by itself: nsv startup)',
      ),
  },
} satisfies Record<string, Check>;

function isTooOld(node: string): boolean {
  const [major = 0, minor = 0] = node.replace(/^v/, '').split('.').map(Number);
  return major < 20 || (major === 20 && minor < 19);
}

function isNearlyFull({ freeBytes, freeShare, freeFiles = leastFiles }: DiskFacts): boolean {
  return freeBytes < leastBytes || freeShare < leastShare || freeFiles < leastFiles;
}
