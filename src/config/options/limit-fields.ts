// What the processes of an app may use, and what happens when they use more: rows of the option table.
import { field, optionalField } from './field.ts';
import { cores, duration, integer, memoryCeiling, size } from './parsers.ts';
import { ulimits } from './ulimit.ts';

/** Growth of memory must show in so many windows in a row. */
export const leakWindows = 12;

export const limitFields = {
  maxMemoryRestart: optionalField({
    flag: '--max-memory-restart <size>',
    doc: 'replace a process above this much memory, with its children (300M, 80%), or V8 heap (heap:90%)',
    parse: memoryCeiling,
  }),
  detectLeaks: optionalField({
    flag: '--detect-leaks <window>',
    doc: `report memory that grows over ${leakWindows} windows of this length; 0 for never`,
    parse: duration,
    shown: '5m with --max-memory-restart, else never',
  }),
  maxRequests: field({
    flag: '--max-requests <n>',
    doc: 'replace a Node process after this many HTTP requests (randomised: 90-100%)',
    parse: integer(0),
    default: 0,
    shown: 'never',
  }),
  maxAge: field({
    flag: '--max-age <duration>',
    doc: 'replace a process after this time (randomised: 90-100%)',
    parse: duration,
    default: 0,
    shown: 'never',
  }),
  cpu: optionalField({
    flag: '--cpu <cores>',
    doc: 'limit of CPU for all processes of the app, such as 1.5 (cgroup)',
    parse: cores,
  }),
  memory: optionalField({
    flag: '--memory <size>',
    doc: 'limit of memory for all processes of the app, at which the kernel kills (cgroup)',
    parse: size,
  }),
  pids: optionalField({
    flag: '--pids <n>',
    doc: 'limit of processes and threads of the app (cgroup)',
    parse: integer(1, 4_194_304),
  }),
  nice: optionalField({
    flag: '--nice <n>',
    doc: 'nice value, from -20 (most CPU time) to 19 (least)',
    parse: integer(-20, 19),
    shown: "the daemon's",
  }),
  ulimit: field({
    flag: '--ulimit <limits...>',
    doc: 'limits of each process, such as nofile=65536, nofile=1024:65536 (soft:hard) or core=unlimited',
    parse: ulimits,
    default: [],
    shown: "the daemon's",
  }),
  oomScoreAdj: optionalField({
    flag: '--oom-score-adj <n>',
    doc: 'whom the kernel kills when memory runs out, from -1000 (never) to 1000 (first); Linux only',
    parse: integer(-1000, 1000),
    shown: "the daemon's",
  }),
};
