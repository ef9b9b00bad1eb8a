// The files that `nsv logs` reads.
import { dirname } from 'node:path';
import type { LogFilesView } from '../../ipc/views.ts';
import { failure } from '../../shared/errors.ts';
import type { LogOrigin, LogSource } from '../render/log-line.ts';
import { printable } from '../render/text.ts';
import { isKept, unkeptReason } from '../render/unkept.ts';

type Streams = readonly LogOrigin['stream'][];

/** All log files, each once. */
export function pathsOf(views: readonly LogFilesView[]): string[] {
  const files = views.flatMap(({ outFile, errorFile, logFile = null }) => [outFile, errorFile, logFile]);
  return [...new Set(files.filter(isKept))];
}

/**
 * Lists each file once: instances (`--merge-logs`), apps (`--output`) or both streams (`--log`) may share it. A file whose
 * lines are copied to another one of the list is left out.
 */
export function logSources(views: readonly LogFilesView[], streams: Streams): LogSource[] {
  const sources = new Map<string, LogSource>();
  const all = new Set(views.flatMap((view) => streams.map((stream) => fileOf(view, stream))));
  for (const view of views) {
    const { id, name, slot, logFile } = view;
    for (const stream of streams) {
      const file = logFile !== undefined && all.has(logFile) ? logFile : fileOf(view, stream);
      if (!isKept(file)) continue;
      const before = sources.get(file);
      if (!before) sources.set(file, { id, name, slot, stream, file });
      else share(before, name, slot);
    }
  }
  return [...sources.values()];
}

function fileOf({ outFile, errorFile }: LogFilesView, stream: LogOrigin['stream']): string | null {
  return stream === 'out' ? outFile : errorFile;
}

function share(source: LogSource, name: string, slot: number): void {
  const names = source.name.split(shared);
  if (!names.includes(name)) source.name = [...names, name].join(shared);
  if (source.slot !== slot || names[0] !== name) source.slot = null;
}

/** Cannot appear in the name of an app. */
const shared = ',';

const mostNamed = 4;

/** Notes which files are read: many of them by their directories. */
export function noteFiles(sources: readonly LogSource[], note: (text: string) => void): void {
  const files = sources.map(({ file }) => file);
  const directories = [...new Set(files.map(dirname))];
  const places = files.length > mostNamed ? directories : files;
  const what = files.length > mostNamed ? `${files.length} files in ` : '';
  note(`nsv: reading ${what}${places.map(printable).join(', ')}`);
}

/** Notes apps without logs, which would look as if they printed nothing. Throws NO_LOGS if no app has logs. */
export function noteUnkept(views: readonly LogFilesView[], streams: Streams, note: (text: string) => void): void {
  const unkept = views.filter((view) => logSources([view], streams).length === 0);
  const reasons = new Map(unkept.map((view) => [view.name, unkeptReason(view)]));
  for (const [name, reason] of reasons) {
    if (unkept.length === views.length) throw failure('NO_LOGS', { name, reason });
    note(`nsv: "${name}" keeps no logs: ${reason}`);
  }
}
