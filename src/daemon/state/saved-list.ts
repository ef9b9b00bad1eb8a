// The list that `nsv save` writes and `nsv resurrect` reads: data, never code. The previous list is kept as `.bak`.
import { chmodSync, copyFileSync, readFileSync, renameSync } from 'node:fs';
import { writeAtomically } from '../../shared/atomic-file.ts';
import { realClock } from '../../shared/clock.ts';
import { errnoOf } from '../../shared/errno.ts';
import { detailOf, failure, type NsvError } from '../../shared/errors.ts';
import type { Successor } from '../process/record.ts';
import { successor } from './group-record.ts';
import { type InvalidRecord, parseEach, quarantine } from './invalid-record.ts';

/** `active`: whether `nsv resurrect` starts it. */
export type SavedApp = Successor;

export interface SavedList {
  /** Whether each change is saved (`nsv save --auto`). */
  auto: boolean;
  apps: SavedApp[];
}

export interface ParsedList extends SavedList {
  /** Entries that cannot be used. */
  invalid: InvalidRecord[];
}

export interface ReadList extends SavedList {
  /** What is wrong with the apps that were set aside, in words for people. */
  problems: string[];
  /** Set if this is the previous list, because the last one could not be read: what happened, in words for people. */
  fallback?: string;
}

const format = 'nsv-saved-list';
const version = 1;

/** The file of the previous list. */
export function predecessorOf(file: string): string {
  return `${file}.bak`;
}

/**
 * Throws CANNOT_WRITE and leaves the list as it was. `isGood`: whether that can be read; a broken one does not become the predecessor, as
 * the one before it may be good.
 */
export function writeSavedList(file: string, list: SavedList, isGood = glanceAt(file) !== undefined): void {
  try {
    const content = `${JSON.stringify({ format, version, ...list }, null, 1)}\n`;
    if (isGood) keepPredecessor(file);
    writeAtomically(file, content);
  } catch (cause) {
    throw failure('CANNOT_WRITE', { file, detail: detailOf(cause) }, { cause });
  }
}

function keepPredecessor(file: string): void {
  copyFileSync(file, predecessorOf(file));
  chmodSync(predecessorOf(file), 0o600);
}

/**
 * Apps whose entries cannot be used are moved to a file beside the list, so that no later change of the list loses them. A
 * list that cannot be read is moved aside. Its predecessor takes its place, also of one that is missing; if there is none,
 * throws NOTHING_SAVED or SAVED_FILE_CORRUPT.
 */
export function readSavedList(file: string): ReadList {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return fallBack(file, failure('NOTHING_SAVED', { file }, { cause }));
    throw failure('SAVED_FILE_CORRUPT', { file, kept: file, detail: detailOf(cause) }, { cause });
  }
  try {
    return withoutSpoiled(file, parseSavedList(content));
  } catch (cause) {
    const kept = `${file}.corrupt-${realClock.wall()}`;
    renameSync(file, kept);
    return fallBack(file, failure('SAVED_FILE_CORRUPT', { file, kept, detail: detailOf(cause) }, { cause }));
  }
}

/** Puts the predecessor in the place of the list. Throws `reason` if there is none. */
function fallBack(file: string, reason: NsvError): ReadList {
  if (!peekSavedList(predecessorOf(file))) throw reason;
  copyFileSync(predecessorOf(file), file);
  return { ...readSavedList(file), fallback: `${reason.message}; the previous list is used instead` };
}

/** Like `readSavedList`; undefined if there is no list that can be read. A corrupt file stays where it is. */
export function takeSavedList(file: string): ReadList | undefined {
  const list = peekSavedList(file);
  return list && withoutSpoiled(file, list);
}

function withoutSpoiled(file: string, { invalid, ...list }: ParsedList): ReadList {
  const { problems, isKept } = quarantine(file, invalid, realClock.wall());
  try {
    if (invalid.length > 0 && isKept) writeSavedList(file, list);
  } catch (error) {
    problems.push(detailOf(error));
  }
  return { ...list, problems };
}

/** Undefined if there is no list that can be read. Changes nothing. */
export function peekSavedList(file: string): ParsedList | undefined {
  try {
    return parseSavedList(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** What a list has but for the apps themselves, which take most of the time; undefined if there is no list that can be read. */
export function glanceAt(file: string): { auto: boolean; apps: number } | undefined {
  try {
    const { auto, apps } = listIn(readFileSync(file, 'utf8'));
    return { auto, apps: apps.length };
  } catch {
    return undefined;
  }
}

/** Throws an Error that says what is wrong with the list as a whole. */
export function parseSavedList(content: string): ParsedList {
  const { auto, apps } = listIn(content);
  return { auto, ...parseEach(apps, (app) => successor(app, 'app')) };
}

function listIn(content: string): { auto: boolean; apps: unknown[] } {
  const saved = JSON.parse(content) as Partial<Record<'format' | 'version' | 'auto' | 'apps', unknown>> | null;
  if (saved?.format !== format) throw new Error('not a list saved by nsv');
  if (saved.version !== version)
    throw new Error(`format version ${String(saved.version)} is not supported (this nsv reads ${version})`);
  if (!Array.isArray(saved.apps)) throw new Error('the apps are not a list');
  return { auto: saved.auto === true, apps: saved.apps };
}
