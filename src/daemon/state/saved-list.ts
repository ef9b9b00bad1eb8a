// The list that `nsv save` writes and `nsv resurrect` reads: data, never code.
import { readFileSync, renameSync } from 'node:fs';
import { type AppSpec, parseAppSpec } from '../../config/app-spec.ts';
import { writeAtomically } from '../../shared/atomic-file.ts';
import { realClock } from '../../shared/clock.ts';
import { detailOf, failure } from '../../shared/errors.ts';

export interface SavedApp {
  spec: AppSpec;
  /** Whether `nsv resurrect` starts it. */
  active: boolean;
}

export interface SavedList {
  /** Whether each change is saved (`nsv save --auto`). */
  auto: boolean;
  apps: SavedApp[];
}

const format = 'nsv-saved-list';
const version = 1;

/** Throws CANNOT_WRITE and leaves the list as it was. */
export function writeSavedList(file: string, list: SavedList): void {
  try {
    writeAtomically(file, `${JSON.stringify({ format, version, ...list }, null, 1)}\n`);
  } catch (cause) {
    throw failure('CANNOT_WRITE', { file, detail: detailOf(cause) }, { cause });
  }
}

/** Throws NOTHING_SAVED, or SAVED_FILE_CORRUPT after it has moved the file aside. */
export function readSavedList(file: string): SavedList {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') throw failure('NOTHING_SAVED', { file }, { cause });
    throw failure('SAVED_FILE_CORRUPT', { file, kept: file, detail: detailOf(cause) }, { cause });
  }
  try {
    return parseSavedList(content);
  } catch (cause) {
    const kept = `${file}.corrupt-${realClock.wall()}`;
    renameSync(file, kept);
    throw failure('SAVED_FILE_CORRUPT', { file, kept, detail: detailOf(cause) }, { cause });
  }
}

/** Undefined if there is no list that can be read; a corrupt file stays where it is. */
export function peekSavedList(file: string): SavedList | undefined {
  try {
    return parseSavedList(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Throws an Error that says what is wrong. */
export function parseSavedList(content: string): SavedList {
  const saved = JSON.parse(content) as Partial<Record<'format' | 'version' | 'auto' | 'apps', unknown>> | null;
  if (saved?.format !== format || !Array.isArray(saved.apps)) throw new Error('not a list saved by nsv');
  if (saved.version !== version)
    throw new Error(`format version ${String(saved.version)} is not supported (this nsv reads ${version})`);
  const apps = saved.apps.map((app: Partial<SavedApp> | null) => ({
    spec: parseAppSpec(app?.spec),
    active: app?.active === true,
  }));
  return { auto: saved.auto === true, apps };
}
