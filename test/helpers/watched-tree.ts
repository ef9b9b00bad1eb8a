// A directory with files of an app, and a watcher of it.
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { Watcher, type WatcherOptions } from '../../src/daemon/triggers/watch/watcher.ts';
import { type Clock, realClock } from '../../src/shared/clock.ts';
import { directoryForEach } from './directory.ts';
import { eventually, sees } from './eventually.ts';

/** So that a path which leads elsewhere is noticed sooner. */
const fast: Clock = { ...realClock, after: (ms, run) => realClock.after(ms / 20, run) };

const nothingOwn = { has: () => false };

/** Each test begins with `app.js`, `lib/a.js`, `lib/deep/b.js` and `node_modules/some/index.js`. */
export function watchedTreeForEach() {
  const at = directoryForEach();
  const state = { seen: [] as string[], problems: [] as string[], watcher: undefined as Watcher | undefined };

  /** Makes the directories, too. */
  function write(path: string, text = '1'): void {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  }

  const move = (from: string, to: string) => renameSync(at(from), at(to));

  /** Switches a link as deploy tools do: in one step. */
  function relink(to: string, path: string): void {
    symlinkSync(to, at(`${path}.next`));
    move(`${path}.next`, path);
  }

  beforeEach(() => {
    Object.assign(state, { seen: [], problems: [] });
    for (const path of ['app.js', 'lib/a.js', 'lib/deep/b.js', 'node_modules/some/index.js']) write(path);
  });

  afterEach(() => state.watcher?.close());

  return {
    at,
    state,
    write,
    move,
    relink,
    remove: (path: string) => rmSync(at(path), { recursive: true }),
    /** Writes a version of a ConfigMap as the kubelet does: `app.json`, reached through `..data`. */
    publish(directory: string, version: string): void {
      write(`${directory}/..${version}/app.json`, version);
      relink(`..${version}`, `${directory}/..data`);
    },
    /** Watches everything, unless the options say otherwise. */
    async watching(options: Partial<WatcherOptions> = {}): Promise<void> {
      state.watcher = new Watcher({
        paths: [at()],
        ignore: [],
        own: nothingOwn,
        cwd: at(),
        delay: 200,
        clock: fast,
        onChange: (files) => state.seen.push(...files.map((file) => file.slice(at().length + 1))),
        onProblem: (detail) => state.problems.push(detail?.replaceAll(at(), '') ?? 'solved'),
        ...options,
      });
      await state.watcher.ready;
    },
    /** Waits until the change of a file has been reported. */
    sees: (path: string) => eventually(() => sees('reported', state.seen).includes(path), `a change of ${path}`),
    /** What was reported of what has happened before: twice, a file changes that is reported in any case. */
    async others(marker = 'app.js'): Promise<string[]> {
      const before: string[] = [];
      for (const turn of ['a', 'b']) {
        before.push(...state.seen.splice(0));
        write(marker, turn);
        await eventually(() => state.seen.includes(marker));
      }
      return [...new Set([...before, ...state.seen])].filter((path) => path !== marker);
    },
  };
}
