// The flags that say how often a probe is made, and what it takes to fail it. Each adds to the probe that is given beside it.
import { type Probe, type ProbeRules, probeDefaults, probeRules } from '../../config/options/probe.ts';
import { failure } from '../../shared/errors.ts';
import { renderDuration } from '../../shared/units.ts';
import type { Flag } from './flags.ts';

const probes = { readyProbe: '--ready-probe', liveProbe: '--live-probe' } as const;
type ProbeName = keyof typeof probes;

const parts: { rule: keyof ProbeRules; ending: string; about: string }[] = [
  { rule: 'interval', ending: 'interval <duration>', about: 'time between two probes' },
  { rule: 'timeout', ending: 'timeout <duration>', about: 'time within which it must be answered' },
  { rule: 'failures', ending: 'failures <n>', about: 'failures in a row that count' },
  { rule: 'successes', ending: 'successes <n>', about: 'successes in a row after which it is good again' },
  { rule: 'initialDelay', ending: 'initial-delay <duration>', about: 'time before the first one' },
];

export type ProbePart = `${ProbeName}.${keyof ProbeRules}`;

export const probeFlags: readonly Flag<ProbePart>[] = (Object.entries(probes) as [ProbeName, string][]).flatMap(
  ([name, flag]) =>
    parts
      // One success is enough: a process that fails is replaced.
      .filter(({ rule }) => name === 'readyProbe' || rule !== 'successes')
      .map(({ rule, ending, about }) => ({
        spelling: `${flag}-${ending}`,
        about: `${about} (default: ${defaultText(rule)})`,
        sets: [`${name}.${rule}` as const],
        parse: probeRules[rule].parse,
      })),
);

function defaultText(rule: keyof ProbeRules): string {
  const value = probeDefaults[rule];
  if (rule === 'failures' || rule === 'successes') return String(value);
  return value === 0 ? 'none' : renderDuration(value);
}

/** Puts the parts into the probes. Throws BAD_OPTION for a part without its probe. */
export function withProbeParts<T extends object>(given: T): Omit<T, ProbePart> {
  const settings = { ...given } as Record<string, unknown>;
  const stray: string[] = [];
  for (const flag of probeFlags) {
    const [part] = flag.sets;
    const [name, rule] = part!.split('.') as [ProbeName, keyof ProbeRules];
    const value = settings[part!];
    delete settings[part!];
    if (value === undefined) continue;
    const probe = settings[name] as Probe | undefined;
    if (probe) settings[name] = { ...probe, [rule]: value };
    else stray.push(`${flag.spelling.split(' ')[0]} needs ${probes[name]}`);
  }
  if (stray.length > 0) throw failure('BAD_OPTION', { problems: stray });
  return settings as Omit<T, ProbePart>;
}
