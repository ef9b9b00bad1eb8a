// Limits of the processes of an app, and what happens at them: rows of the option table.
import { leakWindows } from '../leaks.ts';
import type { Field } from './fields.ts';
import { cores, duration, integer, memoryCeiling, optional, size } from './parsers.ts';

const field = <T>(row: Field<T>): Field<T> => row;

export const limitFields = {
  maxMemoryRestart: field({
    flag: '--max-memory-restart <size>',
    doc: 'replace a process above this much memory, with its children (300M, 80%), or V8 heap (heap:90%)',
    parse: optional(memoryCeiling),
    default: undefined,
  }),
  detectLeaks: field({
    flag: '--detect-leaks <window>',
    doc: `report memory that grows over ${leakWindows} windows of this length; 0 for never`,
    parse: optional(duration),
    default: undefined,
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
  cpu: field({
    flag: '--cpu <cores>',
    doc: 'limit of CPU for all processes of the app, such as 1.5 (cgroup)',
    parse: optional(cores),
    default: undefined,
  }),
  memory: field({
    flag: '--memory <size>',
    doc: 'limit of memory for all processes of the app, at which the kernel kills (cgroup)',
    parse: optional(size),
    default: undefined,
  }),
  pids: field({
    flag: '--pids <n>',
    doc: 'limit of processes and threads of the app (cgroup)',
    parse: optional(integer(1, 4_194_304)),
    default: undefined,
  }),
};
