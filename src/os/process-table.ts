// All processes at one moment. Those that were started later can be added, in a tenth of the time that a new table takes.
// Those that have ended stay: to find out whether one is alive, read it again.
import { otherStats, type Stat } from './proc.ts';
import { tokensOf } from './tree-mark.ts';

export interface Processes {
  readonly byPid: ReadonlyMap<number, Stat>;
  readonly byParent: ReadonlyMap<number, readonly Stat[]>;
  readonly bySession: ReadonlyMap<number, readonly Stat[]>;
  /** Processes that carry the mark of some tree. Reads environments, but only when it is called. */
  byToken(): ReadonlyMap<string, readonly Stat[]>;
}

export interface ProcessTable extends Processes {
  /** Adds the processes that were started since. */
  update(): void;
}

type Groups<Key> = Map<Key, Stat[]>;

/** Looks at all processes, or at those started at `since` (clock ticks since boot) or later. */
export function lookAround(since?: number): ProcessTable {
  const byPid = new Map<number, Stat>();
  const byParent: Groups<number> = new Map();
  const bySession: Groups<number> = new Map();
  let byToken: Groups<string> | undefined;
  let seen: ReadonlySet<number> = new Set();

  function update(): void {
    const { pids, stats } = otherStats(seen, since);
    seen = pids;
    for (const stat of stats) {
      byPid.set(stat.pid, stat);
      addTo(byParent, stat.parent, stat);
      addTo(bySession, stat.session, stat);
    }
    if (byToken) addTokens(byToken, stats);
  }

  function addTokens(groups: Groups<string>, stats: readonly Stat[]): void {
    for (const [token, stat] of tokensOf(stats, byPid.size)) addTo(groups, token, stat);
  }

  update();
  return {
    byPid,
    byParent,
    bySession,
    byToken() {
      if (byToken) return byToken;
      byToken = new Map();
      addTokens(byToken, [...byPid.values()]);
      return byToken;
    },
    update,
  };
}

function addTo<Key>(groups: Groups<Key>, key: Key, stat: Stat): void {
  const group = groups.get(key);
  if (group) group.push(stat);
  else groups.set(key, [stat]);
}
