// Has processes probed whose settings say so. Without a probe, nothing is loaded and no timer runs.
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { Group } from '../apps/group.ts';
import type { Child } from '../launch/launcher.ts';
import type { ManagedProcess } from '../process/process.ts';
import type { Probing } from '../process/process-context.ts';
import type { ProbingDeps } from './probing.ts';

export function probesOf(deps: ProbingDeps): Probing {
  return {
    began(group: Group, process: ManagedProcess, child: Child) {
      const { readyProbe, liveProbe } = child.plan.spec;
      if (!readyProbe && !liveProbe) return;
      const begin = async () => (await import('./probing.ts')).beginProbing(group, process, child, deps);
      begin().catch(throwUncaught);
    },
  };
}
