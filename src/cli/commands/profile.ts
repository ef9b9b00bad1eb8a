import { loadProgram } from '../../client/program-bundle.ts';
import type { Question } from '../../ipc/questions.ts';
import type { ProcessView } from '../../ipc/views.ts';
import type { Profile, ProfileKind } from '../../profile/main.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import { installed } from '../../shared/paths.ts';
import { parseDuration, renderDuration } from '../../shared/units.ts';
import { type Command, type Input, jsonOption } from '../command.ts';
import { expectWritable, pathFor, writeNewFile } from '../inspect/new-file.ts';
import { askProcess, oneProcess } from '../inspect/one-process.ts';
import { printJson } from '../print.ts';
import { renderHottest } from '../render/hottest.ts';
import { loadPaint } from '../render/paint.ts';

/** Milliseconds. */
const shortest = 10;
const longest = 10 * 60_000;

export const profile: Command = {
  summary: 'records where a process spends its time or its memory, and prints the ten hottest functions',
  notes: `For Node apps, without any change to them. Writes a file that only you can read, for Chrome's DevTools or speedscope, into the
current directory. The profiler is off again when the recording ends, when you press Ctrl-C, and when the daemon dies.`,
  arguments: [['<target>', 'id of a process, or name of an app with one instance']],
  options: [
    ['--cpu <time>', 'record CPU time, from 10ms to 10m (default: 10s)'],
    ['--heap <time>', 'record allocations that stay in use instead'],
    ['--flame', 'also write a flame graph, as an HTML file'],
    ['-o, --output <file>', 'file to write (default: <app>-<slot>-<time>.cpuprofile or .heapprofile)'],
    jsonOption,
  ],
  examples: [
    ['nsv profile web', 'CPU time, for 10 s'],
    ['nsv profile 3 --heap 1m --flame', 'allocations, with a flame graph'],
  ],
  async run(context, { words: [target = ''], options }) {
    const { kind, ms } = recordingOf(options);
    const { out, cwd } = context;
    const process = await oneProcess(context, target, 'profile');
    const file = pathFor(process, `${kind}profile`, cwd, options.output);
    const flame = options.flame === true ? `${file.replace(/\.(cpu|heap)profile$/, '')}.html` : null;
    for (const path of [file, flame]) if (path) expectWritable(path);
    out.note(`nsv: recording for ${renderDuration(ms)}`);
    const text = await askProcess(context, process, questions[kind](ms), (answer) => answer.text);
    const recorded = parsed(kind, text, process);
    await writeNewFile(file, (write) => write(text));
    const title = `${process.name} ${process.slot}: ${kind}, ${renderDuration(ms)}`;
    if (flame) await writeNewFile(flame, (write) => write(recorded.flame(title)));
    const { id, name, slot, pid } = process;
    if (out.json) return printJson(out, { id, name, slot, pid, file, flame, ...recorded.hottest });
    out.write(renderHottest(recorded.hottest, cwd, await loadPaint(out.terminal.colour)));
    for (const written of [file, flame]) if (written) out.note(`nsv: wrote ${written}`);
  },
};

const questions: Record<ProfileKind, (ms: number) => Question> = {
  cpu: (ms) => ({ kind: 'cpu', ms, interval: 1_000 }),
  heap: (ms) => ({ kind: 'allocations', ms, interval: 32 * 1024 }),
};

/** Throws BAD_USAGE. */
function recordingOf({ cpu, heap }: Input['options']): { kind: ProfileKind; ms: number } {
  if (cpu !== undefined && heap !== undefined)
    throw failure('BAD_USAGE', { detail: 'nsv profile: choose one of --cpu and --heap' });
  const kind = heap === undefined ? 'cpu' : 'heap';
  const word = String(heap ?? cpu ?? '10s');
  const ms = parseDuration(word);
  if (ms === undefined || ms < shortest || ms > longest)
    throw failure('BAD_USAGE', { detail: `nsv profile: --${kind} must be a time from 10ms to 10m, not "${word}"` });
  return { kind, ms };
}

/** Throws CANNOT_INSPECT: the answer comes from the process, which may send anything. */
function parsed(kind: ProfileKind, text: string, { name }: ProcessView): Profile {
  try {
    return loadProgram<typeof import('../../profile/main.ts')>(installed.profile).readProfile(kind, text);
  } catch (cause) {
    throw failure('CANNOT_INSPECT', { name, reason: `its profile is invalid: ${detailOf(cause)}` }, { cause });
  }
}
