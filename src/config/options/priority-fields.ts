// What the kernel grants each process of an app: rows of the option table.
import type { Field } from './fields.ts';
import { integer, optional } from './parsers.ts';
import { ulimits } from './ulimit.ts';

const field = <T>(row: Field<T>): Field<T> => row;

export const priorityFields = {
  nice: field({
    flag: '--nice <n>',
    doc: 'nice value, from -20 (most CPU time) to 19 (least)',
    parse: optional(integer(-20, 19)),
    default: undefined,
    shown: "the daemon's",
  }),
  ulimit: field({
    flag: '--ulimit <limits...>',
    doc: 'limits of each process, such as nofile=65536, nofile=1024:65536 (soft:hard) or core=unlimited',
    parse: ulimits,
    default: [],
    shown: "the daemon's",
  }),
  oomScoreAdj: field({
    flag: '--oom-score-adj <n>',
    doc: 'whom the kernel kills when memory runs out, from -1000 (never) to 1000 (first); Linux only',
    parse: optional(integer(-1000, 1000)),
    default: undefined,
    shown: "the daemon's",
  }),
};
