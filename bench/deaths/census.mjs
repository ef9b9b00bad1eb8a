// Who runs for an app of a home, and which helpers of the daemon, by /proc and not by what nsv says; and whether an app's numbered lines
// are all there.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The pids of all session leaders that were started for the app. */
export function census(home, app) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && wasStartedFor(name, home, app) && isLeader(name))
    .map(Number);
}

/** Brokers and keepers of sockets, and whose children they are. */
export function helpers(home) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const environment = textOf(`/proc/${pid}/environ`).split('\0');
      if (!environment.includes(`NSV_HOME=${home}`)) return [];
      const isKeeper = environment.some((entry) => entry.startsWith('NSV_KEEPER='));
      const kind = isKeeper ? 'keeper' : textOf(`/proc/${pid}/cmdline`).includes('broker/main') && 'broker';
      const [state, parent] = textOf(`/proc/${pid}/stat`).split(') ').at(-1).split(' ');
      return kind && state !== 'Z' ? [{ kind, pid: Number(pid), parent: Number(parent) }] : [];
    });
}

function wasStartedFor(pid, home, app) {
  const environment = textOf(`/proc/${pid}/environ`).split('\0');
  const homes = environment.filter((entry) => entry.startsWith('NSV_HOME='));
  // An app of another user is not told, so its name has to be one that no other home has.
  return environment.includes(`NSV_APP=${app}`) && (homes.length === 0 || homes.includes(`NSV_HOME=${home}`));
}

function isLeader(pid) {
  const [state, , , session] = textOf(`/proc/${pid}/stat`).split(') ').at(-1).split(' ');
  return state !== 'Z' && session === pid;
}

function textOf(file) {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

/** Lines are `line <pid> <number>`; each process counts from 1. Tells of each process that misses one or has one twice. */
export function lineProblems(folder, app) {
  const counts = new Map();
  const problems = [];
  for (const name of readdirSync(folder).filter((file) => file.startsWith(`${app}-`) && file.includes('-out.log'))) {
    for (const [, pid, number] of readFileSync(join(folder, name), 'latin1').matchAll(/^line (\d+) (\d+)$/gm)) {
      const numbers = counts.get(pid) ?? [];
      counts.set(pid, numbers);
      numbers.push(Number(number));
    }
  }
  for (const [pid, numbers] of counts) {
    const last = Math.max(...numbers);
    if (numbers.length !== last || new Set(numbers).size !== last)
      problems.push(`process ${pid} printed ${last} lines, and ${numbers.length} are there`);
  }
  return problems;
}
