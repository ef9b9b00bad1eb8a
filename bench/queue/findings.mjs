// What the attempts of the tasks say: `<ns> <pid> begin|end <id> <attempt>`, a line each.

/** `kills`: of which processes, and when. */
export function findings(log, { tasks, concurrency, kills = [] }) {
  const lines = log.trim().split('\n').map(parsed);
  const killed = new Map(kills.map(({ pid, at }) => [pid, at]));
  const attempts = attemptsIn(lines, killed);
  const done = new Map();
  for (const { id, isCut } of attempts) if (!isCut) done.set(id, (done.get(id) ?? 0) + 1);
  const cut = new Set(attempts.filter(({ isCut }) => isCut).map(({ id }) => id));
  // It may have been killed after the end of the work, before that was written down.
  const lost = new Set(attempts.filter(({ pid }) => killed.has(pid)).map(({ id }) => id));
  // Others had a process that was killed before it could write down that it begins, at most so many with each kill.
  const again = attempts.filter(({ attempt, id }) => attempt > 1 && !lost.has(id));
  return {
    problems: [
      ...(done.size < tasks ? [`${tasks - done.size} tasks were never done`] : []),
      ...(mostAtOnce(attempts) > concurrency ? [`${mostAtOnce(attempts)} tasks ran at the same time`] : []),
      ...(again.length > kills.length * concurrency
        ? [`${again.length} tasks had a second attempt without a reason`]
        : []),
    ],
    attempts: attempts.length,
    killedTasks: cut.size,
    killedUnseen: again.length,
    doneTwice: [...done.values()].filter((times) => times > 1).length,
  };
}

function parsed(line) {
  const [at, pid, what, id, attempt] = line.split(' ');
  return { at: BigInt(at), pid: Number(pid), what, id, attempt: Number(attempt) };
}

/** Each with its begin and end; that of a killed process ends with it. */
function attemptsIn(lines, killed) {
  const open = new Map();
  const attempts = [];
  for (const { at, pid, what, id, attempt } of lines) {
    const key = `${pid} ${id}`;
    if (what === 'begin') {
      const begun = { id, attempt, pid, begin: at, end: undefined, isCut: false };
      open.set(key, begun);
      attempts.push(begun);
    } else {
      const begun = open.get(key);
      begun.end = at;
      open.delete(key);
    }
  }
  for (const begun of open.values()) {
    begun.isCut = true;
    begun.end = killed.get(begun.pid) ?? begun.begin;
  }
  return attempts;
}

function mostAtOnce(attempts) {
  const steps = attempts.flatMap(({ begin, end }) => [
    [begin, 1],
    [end, -1],
  ]);
  steps.sort(([one, up], [other, down]) => (one < other ? -1 : one > other ? 1 : up - down));
  let running = 0;
  let most = 0;
  for (const [, step] of steps) {
    running += step;
    most = Math.max(most, running);
  }
  return most;
}

/** The most that begin within any `per` milliseconds. */
export function mostWithin(log, per) {
  const begins = log
    .trim()
    .split('\n')
    .map(parsed)
    .filter(({ what }) => what === 'begin')
    .map(({ at }) => Number(at) / 1e6);
  begins.sort((one, other) => one - other);
  let most = 0;
  let from = 0;
  for (const [at, begin] of begins.entries()) {
    while (begins[from] <= begin - per) from += 1;
    most = Math.max(most, at - from + 1);
  }
  return most;
}
