// The mark that the descendants of a process inherit, by which they are found when it is stopped or has ended.
import { treeVariable } from '../../os/own-variables.ts';
import type { TreeMark } from '../../os/tree-mark.ts';
import { findUser } from '../../os/users.ts';
import { randomBytes } from '../../shared/random.ts';
import type { LaunchPlan } from './launcher.ts';

/** Undefined if descendants may leave, or cannot be told from those of others. */
export function treeMarkOf({ spec, mark }: Pick<LaunchPlan, 'spec' | 'mark'>): TreeMark | undefined {
  if (spec.keepOrphans) return undefined;
  // The token of the mark (process/mark.ts) is unique and cannot be guessed, and the next daemon knows it too.
  const token = mark === undefined ? randomBytes(16).toString('hex') : /^([\da-f]{32}):/.exec(mark)?.[1];
  if (token === undefined) return undefined;
  if (spec.uid === undefined) return { token };
  const user = findUser(spec.uid);
  return user && { token, uid: user.uid };
}

export function variablesFor(tree: TreeMark | undefined): Record<string, string> {
  return tree ? { [treeVariable]: tree.token } : {};
}
