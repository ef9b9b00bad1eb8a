// The machine, as a managed process sees it.
import type { OomKills } from '../../os/cgroups/oom-kills.ts';
import type { PortHolders } from '../../os/ports/holders.ts';
import type { TreeControl } from '../../os/process-tree.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Hook, HookEnd } from '../launch/hook.ts';
import type { Launcher } from '../launch/launcher.ts';
import type { RestartRate } from './restart-rate.ts';

/** What the machine offers. Tests of the daemon's logic replace it as a whole. */
export interface Host extends TreeControl {
  clock: Clock;
  launcher: Launcher;
  oomKills: OomKills;
  portHolders: PortHolders;
  runHook(hook: Hook, abort?: AbortSignal): Promise<HookEnd>;
  restartRate: RestartRate;
  /** Resolves when it is the caller's turn to start a process on request. */
  turn(): Promise<void>;
  /** Resolves at once, or when other work has had its turn, if what many callers do has taken long. */
  breather(): Promise<void>;
}
