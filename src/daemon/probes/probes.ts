// Has processes probed whose settings say so. Without a probe, nothing is loaded and no timer runs.
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { Group } from '../apps/group.ts';
import type { Probing } from '../process/process-context.ts';
import type { ProbingDeps } from './probing.ts';

export function probesOf(deps: ProbingDeps): Probing {
  return {
    began(group, process, child) {
      const { readyProbe, liveProbe } = child.plan.spec;
      if (!readyProbe && !liveProbe) return;
      // Only groups have processes.
      const begin = async () => (await import('./probing.ts')).beginProbing(group as Group, process, child, deps);
      begin().catch(throwUncaught);
    },
  };
}
