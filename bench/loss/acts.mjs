// What is done to the app while it is under load. An act returns a remark for the table; what it finds wrong, beyond
// lost requests, goes into `problems`; failures that nobody could have prevented into `excused`.
import { setTimeout as after } from 'node:timers/promises';
import { killKnowing } from './connections-held.mjs';
import { whole } from './supervisors.mjs';

export const reloads = repeats('reload');
/** Of all apps. Each is stopped before it starts again, and its clients wait. */
export const restarts = repeats('restart');

function repeats(command) {
  return async ({ supervisor, problems, times }) => {
    const begin = Date.now();
    for (let round = 0; round < times; round += 1) {
      const { code, stderr } = await supervisor[command]();
      if (code !== 0) problems.push(`${command} ${round + 1} ended with ${code}: ${stderr.trim().split('\n')[0]}`);
    }
    return `${times} ${command}s, ${((Date.now() - begin) / 1000 / times).toFixed(1)} s each`;
  };
}

/** Of apps that have the last word: the old processes have to end by themselves. */
export async function reloadsUnkilled(scene) {
  const { supervisor, problems, instances, times } = scene;
  const remark = await reloads(scene);
  const end = Date.now() + 30_000;
  while (supervisor.ends().length < instances * times && Date.now() < end) await after(100);
  const ends = supervisor.ends();
  const own = ends.filter((how) => how === 0).length;
  if (own < instances * times) problems.push(`of ${instances * times} old processes, ${own} exited with 0: ${ends}`);
  return `${remark}, ${own} old processes exited with 0`;
}

/** A connection dies with the worker that accepted it; all others must not notice. */
export async function kills({ supervisor, instances, times, load, excused, problems }) {
  const deaths = [];
  for (let round = 0; round < times; round += 1) {
    // Each in its turn: connections gather in the worker that was not killed.
    const victim = (await whole(supervisor, instances))[round % instances];
    deaths.push({ ports: killKnowing(victim), at: Date.now() });
    await whole(supervisor, instances, victim);
    await after(200);
  }
  await load.stop();
  for (const failure of load.failures) if (deaths.some((death) => diedWith(failure, death))) excused.add(failure);
  if (excused.size === 0)
    problems.push('no request died with a killed worker: the load was too small to show anything');
  return `${times} kills, ${excused.size} in killed workers`;
}

/** Ports are used again: only a connection that was open when the worker died counts. */
function diedWith({ kind, port, openedAt, at }, death) {
  return kind !== 'hung' && death.ports.has(port) && openedAt <= death.at && at >= death.at - 1;
}

/** Goes on until `times` requests have made the app throw. */
export async function throwing({ supervisor, instances, load, times, problems }) {
  const end = Date.now() + 60_000;
  while (load.thrown.length < times && Date.now() < end) await after(100);
  await load.stop();
  await whole(supervisor, instances).catch((error) => problems.push(error.message));
  if (load.thrown.length < times) problems.push(`only ${load.thrown.length} requests threw`);
  const answered = load.thrown.filter(({ kind }) => !kind).length;
  if (answered > 0) problems.push(`${answered} of the requests that throw were answered`);
  return `${load.thrown.length} threw`;
}

/** Reloads to a version that cannot live: the reload must say so and leave everything as it was. */
export function brokenRelease(name) {
  return async ({ supervisor, stage, problems }) => {
    const before = await supervisor.pids();
    stage.release(name);
    const { code } = await supervisor.reload();
    if (code === 0) problems.push('the reload ended with 0');
    await after(1500);
    const now = await supervisor.pids();
    const kept = before.filter((pid) => now.includes(pid)).length;
    if (kept < before.length || now.length > before.length) {
      problems.push(`${kept} of ${before.length} old processes are there, ${now.length} in all`);
    }
    return `exit code ${code}, ${kept} of ${before.length} old processes kept`;
  };
}

export async function scales({ supervisor, times, problems }) {
  for (let round = 0; round < times; round += 1) {
    for (const count of [1, 4]) {
      const { code, stderr } = await supervisor.scale(count);
      if (code !== 0) problems.push(`scale to ${count} ended with ${code}: ${stderr.trim().split('\n')[0]}`);
      const { length } = await supervisor.pids();
      if (length !== count) problems.push(`scaled to ${count}, but ${length} serve`);
      await after(200);
    }
  }
  return `${times} x 4 to 1 to 4`;
}

/** One worker computes for 3 s; meanwhile 200 new connections come, which the other could answer. */
export async function blocked({ load, problems }) {
  const begin = Date.now();
  const block = load.askAside('/block/3000').then(({ kind }) => ({ kind, time: Date.now() - begin }));
  await after(150);
  await load.burst(200, 100);
  const { kind, time } = await block;
  if (kind || time < 3000) problems.push(`no worker was blocked: ${kind ?? 'answered'} after ${time} ms`);
  const late = load.latencies.filter((latency) => latency > 100).length;
  if (late > 1) problems.push('more than one was late');
  return `${late} of 200 later than 100 ms`;
}

/** Nothing is done: the client must find nothing. */
export async function nothing() {
  await after(2000);
  return 'left alone';
}

/** Nothing is done for a minute: what clients lose that think for a while, whoever serves them. */
export async function idles() {
  await after(60_000);
  return 'left alone';
}
