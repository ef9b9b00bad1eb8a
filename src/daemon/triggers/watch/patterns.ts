// What the settings `watch` and `ignore_watch` mean by names, paths and globs. Load this file only when an app is watched, because it
// loads picomatch.
import { join, relative } from 'node:path';
import picomatch from 'picomatch';

/** Packages, what editors leave while they save, and what V8, `nsv profile` and `nsv heap` write: never an app's source. */
const alwaysIgnored = [
  'node_modules',
  '*~',
  '.*.sw?',
  '.#*',
  '#*#',
  '4913',
  '*.cpuprofile',
  '*.heapprofile',
  '*.heapsnapshot',
];

/**
 * Whether the patterns mean a path, and none that begins with `!` makes it an exception. `forms`: its name, and the path in all ways in
 * which a pattern may name it.
 */
export function createFilter(patterns: readonly string[]): (forms: readonly string[]) => boolean {
  const trimmed = patterns.map((pattern) => pattern.replace(/^\.\//, '').replace(/\/$/, ''));
  const matcher = (of: string[]) => {
    const matches = picomatch(of, { dot: true });
    return (forms: readonly string[]) => forms.some((form) => form !== '' && matches(form));
  };
  const matches = matcher([...alwaysIgnored, ...trimmed.filter((pattern) => !isException(pattern))]);
  const excepts = matcher(trimmed.filter(isException).map((pattern) => pattern.slice(1)));
  return (forms) => matches(forms) && !excepts(forms);
}

export interface Glob {
  /** The directory above all that the glob may mean. */
  base: string;
  /** Whether it means a path below that, relative to it, or a directory above the path. */
  means(path: string): boolean;
}

/** Undefined if the path has no characters of a glob below `cwd`, where those of the directories above are what they are. */
export function globOf(path: string, cwd: string): Glob | undefined {
  const { base, glob, isGlob } = picomatch.scan(relative(cwd, path));
  if (!isGlob) return undefined;
  const matches = picomatch(glob, { dot: true });
  return {
    base: join(cwd, base),
    means: (below) => below.split('/').some((_, at, names) => matches(names.slice(0, at + 1).join('/'))),
  };
}

/** The pattern of a path such as `!src/gen`, which is left out of what the others watch. */
export function exceptionOf(path: string, cwd: string): string | undefined {
  const below = relative(cwd, path);
  return isException(below) ? below.slice(1) : undefined;
}

/** Rather than a part of a glob. */
function isException(pattern: string): boolean {
  return pattern.startsWith('!') && !pattern.startsWith('!(');
}
