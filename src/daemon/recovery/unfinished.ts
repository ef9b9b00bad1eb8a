// Finishes the command on an app that was under way when the previous daemon died.
import { detailOf } from '../../shared/errors.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { Group } from '../apps/group.ts';
import * as operations from '../apps/operations.ts';
import type { Logger } from '../logger.ts';
import type { Intent, Successor } from '../process/record.ts';

export interface UnfinishedDeps {
  logger: Pick<Logger, 'error'>;
  /** Removes the app, then starts the one that takes its place. */
  replaceRemoved(group: Group, successor: Successor | undefined): Promise<void>;
}

/** No client waits for the commands that are finished here. */
const quiet = () => {};

/** Until it is finished, or has failed, the intent stays recorded: this daemon may die as well. */
export function finish(group: Group, intent: Intent | null, deps: UnfinishedDeps): void {
  if (!intent) return;
  perform(group, intent, deps)
    .catch((error) =>
      deps.logger.error({ app: group.name, detail: detailOf(error) }, 'failed to finish an interrupted command'),
    )
    .then(() => group.intents.settle())
    .catch(throwUncaught);
}

function perform(group: Group, intent: Intent, { replaceRemoved }: UnfinishedDeps): Promise<void> {
  switch (intent.kind) {
    case 'remove':
      return replaceRemoved(group, intent.successor);
    case 'scale':
      return operations.scale(group, intent.instances, quiet);
    case 'stop':
      return operations.stop({ group, slots: intent.slots });
    case 'start':
      return startAgain({ group, slots: intent.slots });
  }
}

async function startAgain(selection: operations.Selection): Promise<void> {
  if (await selection.group.hold.mayStart()) await operations.start(selection, undefined, false, quiet);
}
