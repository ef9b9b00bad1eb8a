// How the daemon notices that a process that runs does not work: rows of the option table.
import type { Field } from './fields.ts';
import { optional } from './parsers.ts';
import { type Probe, probe } from './probe.ts';
import { watchdogFields } from './watchdog-fields.ts';

const field = (row: Field<Probe | undefined>) => row;

export const healthFields = {
  readyProbe: field({
    flag: '--ready-probe <probe>',
    doc: 'what makes a process ready, also later: http://:3000/health, tcp://:3000 or exec:command',
    parse: optional(probe),
    default: undefined,
  }),
  liveProbe: field({
    flag: '--live-probe <probe>',
    doc: 'replace a process that fails this probe: http://:3000/health, tcp://:3000 or exec:command',
    parse: optional(probe),
    default: undefined,
  }),
  ...watchdogFields,
} satisfies Record<string, Field<unknown>>;
