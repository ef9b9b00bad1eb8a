// `nsv doctor`: collects facts about a home and checks them. The command line loads this file into its own process.
import { originHere } from '../daemon/state/origin.ts';
import { findMarked } from '../daemon/state/search.ts';
import { readSpawnLog } from '../daemon/state/spawn-log.ts';
import { realClock as clock } from '../shared/clock.ts';
import type { Examination } from '../shared/findings.ts';
import type { HomePaths } from '../shared/paths.ts';
import { count } from '../shared/units.ts';
import { build, version } from '../shared/version.ts';
import { lookAtApp } from './apps.ts';
import { runChecks } from './checks.ts';
import { lookAtDaemon, talk } from './daemon.ts';
import type { DaemonAnswer, Facts } from './facts.ts';
import { lookAtDisks, lookAtHome } from './home.ts';
import { findFormer, straysAmong } from './left-behind.ts';
import { lookAtSaved, lookAtState } from './state.ts';

export async function examine(paths: HomePaths): Promise<Examination> {
  const facts = await collect(paths);
  return { home: paths.home, findings: runChecks(facts), looked: lookedAt(facts) };
}

async function collect(paths: HomePaths): Promise<Facts> {
  const home = lookAtHome(paths);
  const here = { version, build, node: process.version };
  const nothing: Facts = {
    now: clock.wall(),
    here,
    home,
    disks: [],
    daemon: { answer: { kind: 'nobody' }, isStopped: false, log: { deaths: [], warnings: [], isNewBoot: false } },
    former: findFormer(paths),
    state: { broken: [], quarantined: [], appsAside: [], notResurrected: [] },
    saved: { quarantined: [], appsAside: [] },
    apps: [],
    strays: [],
  };
  // nsv does not trust the files of an unsafe home, so they are not checked.
  return home.isThere && home.unsafe === undefined ? { ...nothing, ...(await collectWithin(paths)) } : nothing;
}

async function collectWithin(paths: HomePaths): Promise<Omit<Facts, 'now' | 'here' | 'home' | 'former'>> {
  const marked = findMarked(originHere(paths), readSpawnLog(paths.spawns)).ours;
  const { answer, apps: views } = await talk(paths);
  const { snapshot, facts: state } = lookAtState(paths);
  const known = new Set(views.flatMap(({ processes }) => processes.flatMap(({ pid }) => pid ?? [])));
  const hasAnswered = answer.kind === 'well';
  const apps = hasAnswered ? views.map(lookAtApp) : (snapshot?.groups ?? []).map(({ spec }) => lookAtApp({ spec }));
  const logs = apps.flatMap((app) => app.logs.map(({ file }) => file));
  return {
    disks: lookAtDisks([paths.home, paths.logs, ...logs]),
    daemon: lookAtDaemon(paths, answer),
    // The daemon itself reports the apps that have not been started since the reboot.
    state: hasAnswered ? { ...state, notResurrected: [] } : state,
    saved: lookAtSaved(paths),
    apps,
    // Whose they are cannot be told from a state that cannot be read. The next daemon says so.
    strays: snapshot || state.broken.length === 0 ? straysAmong(marked, known, snapshot) : [],
  };
}

function lookedAt({ here, home, daemon: { answer }, apps }: Facts): string[] {
  const software = `nsv ${here.version} on Node ${here.node}`;
  if (!home.isThere) return [software, `${home.path} does not exist yet`];
  if (home.unsafe !== undefined) return [software, home.path];
  const processes = apps.flatMap((app) => app.processes).length;
  return [
    software,
    home.path,
    'its disks',
    daemonText(answer),
    'state and saved list',
    `${count(apps.length, 'app')}, ${count(processes, 'process')}`,
    'logs',
  ];
}

function daemonText(answer: DaemonAnswer): string {
  if (answer.kind === 'well') return `the daemon (pid ${answer.view.pid})`;
  return answer.kind === 'nobody' ? 'no daemon' : 'a daemon that does not answer';
}
