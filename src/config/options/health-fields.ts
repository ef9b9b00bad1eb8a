// How the daemon notices that a process that runs does not work: rows of the option table.
import { field, optionalField } from './field.ts';
import { durationIf } from './parsers.ts';
import { probe } from './probe.ts';

/** Milliseconds. Collections of garbage and calls such as `readFileSync` may block a healthy loop for tenths of a second. */
const shortest = 1_000;

/** 0 for never. */
const watchdogLimit = durationIf((ms) => ms === 0 || ms >= shortest, 'at least 1s, or 0 for never');

export const healthFields = {
  readyProbe: optionalField({
    flag: '--ready-probe <probe>',
    doc: 'what makes a process ready, also later: http://:3000/health, tcp://:3000 or exec:command',
    parse: probe,
  }),
  liveProbe: optionalField({
    flag: '--live-probe <probe>',
    doc: 'replace a process that fails this probe: http://:3000/health, tcp://:3000 or exec:command',
    parse: probe,
  }),
  watchdog: field({
    flag: '--watchdog <duration>',
    doc: 'replace a Node process whose event loop is blocked for this long (at least 1s; 30s is a good start)',
    parse: watchdogLimit,
    default: 0,
    shown: 'never',
  }),
};
