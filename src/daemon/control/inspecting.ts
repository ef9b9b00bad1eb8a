// Asks a process about itself, and passes the answer on to the client as fast as it reads.
import { stackQuestion } from '../../client/stacks/question.ts';
import type { Handlers } from '../../ipc/protocol.ts';
import type { InspectedView } from '../../ipc/views.ts';
import { longestPart } from '../../ipc/worker-messages.ts';
import type { Clock } from '../../shared/clock.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import { processesOf } from '../apps/operations.ts';
import type { Registry } from '../apps/registry.ts';
import type { ManagedProcess } from '../process/process.ts';
import { ask } from '../process/questions.ts';
import { isAttachable } from '../process/worker-line.ts';

/** Characters. */
const longestReason = 1_000;

/** Rejects with NO_SUCH_APP or CANNOT_INSPECT. The question is withdrawn when the client goes. */
export function createInspecting(registry: Pick<Registry, 'select'>, clock: Clock): Handlers['inspect'] {
  return async ({ id, pid, key, question, timeout }, _report, line) => {
    const [selection] = registry.select([String(id)]);
    const candidates = selection && (pid === undefined ? processesOf(selection) : selection.group.all);
    const isMeant = ({ id: own, child }: ManagedProcess) => own === id && (pid === undefined || child?.pid === pid);
    const child = candidates?.find(isMeant)?.child;
    const refused = (reason: string) =>
      failure('CANNOT_INSPECT', { name: selection?.group.name ?? String(id), reason });
    if (!child) throw refused('it is not running');
    if (!child.plan.spec.node) throw refused('it is not a Node program');
    const ended = (answered: boolean): InspectedView => ({
      pid: child.pid,
      answered,
      startTime: child.startTime ?? null,
      attachable: isAttachable(child),
    });
    if (question.kind === 'stack') {
      if (!child.stackThread) throw refused('it has no thread that could tell its stack');
      const value = await child.stackThread.evaluate(stackQuestion).catch((error) => {
        throw refused(detailOf(error));
      });
      line.notify('part', { key, text: JSON.stringify(value ?? null).slice(0, longestPart) });
      return ended(true);
    }
    return new Promise<InspectedView>((resolve, reject) => {
      const cancel = clock.after(timeout, () => {
        asked?.unask();
        resolve(ended(false));
      });
      const asked = ask(child, question, (step, text) => {
        cancel();
        if (step === 'part') {
          line.notify('part', { key, text });
          line.onceRead(() => asked?.more());
        }
        if (step === 'done') resolve(ended(true));
        if (step === 'refused' || step === 'lost') reject(refused(text.slice(0, longestReason)));
      });
      if (!asked) {
        cancel();
        reject(refused('it has no IPC channel to the daemon'));
        return;
      }
      line.onClose(() => {
        cancel();
        asked.unask();
        // Nobody reads it, but the call must end.
        resolve(ended(false));
      });
    });
  };
}
