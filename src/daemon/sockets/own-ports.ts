// Ports that a program, or one that it has started, has bound by itself: nsv has no part in them. Looked up when somebody asks.
import type { AppSpec } from '../../config/app-spec.ts';
import { isBinPath } from '../../config/program/scripts/bins.ts';
import { renderAddress } from '../../os/address.ts';
import { listeningOf } from '../../os/ports/listening.ts';
import { treeOf } from '../../os/tree.ts';
import type { Child } from '../launch/launcher.ts';
import type { GroupSockets } from './group-sockets.ts';

interface App {
  readonly spec: AppSpec;
  readonly sockets: Pick<GroupSockets, 'listening'>;
}

/**
 * The addresses on which a process and its descendants (`tree`) listen, for display. A Node process binds by nsv, so what else it
 * listens on is its inspector; one that has not come back to this daemon yet will say what it has.
 */
export function ownPortsOf({ spec, sockets }: App, child: Child, tree: readonly number[]): string[] {
  const shared = sockets.listening.addressesOf(child);
  if (shared.length > 0 || child.isAway) return shared;
  return portsIn(spec.node ? tree.filter((pid) => pid !== child.pid) : tree, child);
}

function portsIn(pids: readonly number[], owner: object): string[] {
  return [...new Set(listeningOf(pids, owner).map(renderAddress))].sort();
}

/**
 * Whether the program of a package has started another process that listens, which therefore cannot run twice. Other Node apps
 * are not asked: what a process that they have started listens on is of no concern, as with a browser.
 */
export function startsServer({ spec, sockets }: App, child: Child | undefined): boolean {
  if (!child || !spec.node || !isBinPath(spec.script) || sockets.listening.addressesOf(child).length > 0) return false;
  const tree = treeOf(child).map(({ pid }) => pid);
  return (
    portsIn(
      tree.filter((pid) => pid !== child.pid),
      child,
    ).length > 0
  );
}
