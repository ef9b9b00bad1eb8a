// Ports that a program, or one that it has started, has bound by itself: nsv has no part in them. Looked up when somebody asks.
import type { AppSpec } from '../../config/app-spec.ts';
import { isBinPath } from '../../config/program/scripts/bins.ts';
import { renderAddress } from '../../os/address.ts';
import { listeningOf } from '../../os/ports/listeners.ts';
import { treeOf } from '../../os/tree.ts';
import type { Child } from '../launch/launcher.ts';
import type { GroupSockets } from './group-sockets.ts';

interface App {
  readonly spec: AppSpec;
  readonly sockets: Pick<GroupSockets, 'listening'>;
}

/**
 * The addresses on which a process and its descendants listen, for display. A Node process binds by nsv, so what else it listens
 * on is its inspector; one that has not come back to this daemon yet will say what it has.
 */
export function ownPortsOf({ spec, sockets }: App, child: Child): string[] {
  const shared = sockets.listening.addressesOf(child);
  if (shared.length > 0 || child.isAway) return shared;
  // Without the mark of its tree, for which all environments would be read.
  const members = treeOf({ pid: child.pid, startTime: child.startTime }, [], false);
  return portsIn(spec.node ? members.filter(({ pid }) => pid !== child.pid) : members);
}

function portsIn(processes: readonly { pid: number }[]): string[] {
  return [...new Set(listeningOf(processes.map(({ pid }) => pid)).map(renderAddress))].sort();
}

/**
 * Whether the program of a package has started another process that listens, which therefore cannot run twice. Other Node apps
 * are not asked: what a process that they have started listens on is of no concern, as with a browser.
 */
export function startsServer({ spec, sockets }: App, child: Child | undefined): boolean {
  if (!child || !spec.node || !isBinPath(spec.script) || sockets.listening.addressesOf(child).length > 0) return false;
  return portsIn(treeOf(child).filter(({ pid }) => pid !== child.pid)).length > 0;
}
