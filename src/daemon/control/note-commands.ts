// Tells the journal who has asked for what, and what became of it.
import type { CallerView } from '../../ipc/journal/event-views.ts';
import { isNoted } from '../../ipc/journal/noted.ts';
import type { Handlers, MethodName, Params } from '../../ipc/protocol.ts';
import { treeVariable } from '../../os/own-variables.ts';
import { variableOfProcess } from '../../os/proc.ts';
import { detailOf } from '../../shared/errors.ts';
import type { Registry } from '../apps/registry.ts';
import type { Concerned, EventBus } from '../events.ts';
import type { ManagedProcess } from '../process/process.ts';

export interface NotingDeps {
  registry: Pick<Registry, 'select'>;
  events: Pick<EventBus, 'emit'>;
  /** Writes the journal: whoever has a reply finds in it what the command has done. */
  flush(): void;
}

type Handle = (params: object, report: unknown, line: unknown, caller?: CallerView) => unknown;

/** The caller is the last argument of each handler; the handlers themselves do not know it. */
export function noteCommands(handlers: Handlers, { registry, events, flush }: NotingDeps): Handlers {
  const noted = Object.entries(handlers).map(([name, run]) => {
    const handle: Handle = async (params, report, line, caller = {}) => {
      const perform = () => (run as Handle).call(handlers, params, report, line);
      if (!isNoted(name as MethodName, params)) return perform();
      const about = { method: methodOf(name, params), ...concernedBy(registry, params) };
      events.emit({ type: 'command', ...about, by: caller });
      const giver = appAbove(caller, registry);
      if (giver) giver.awaitsCommand = true;
      try {
        return await perform();
      } catch (error) {
        events.emit({ type: 'command-failed', ...about, detail: detailOf(error) });
        throw error;
      } finally {
        if (giver) giver.awaitsCommand = false;
        flush();
      }
    };
    return [name, handle];
  });
  return Object.fromEntries(noted) as Handlers;
}

/** The process of an app that gives this command, itself or through a program that it has started. */
function appAbove({ pid }: CallerView, registry: NotingDeps['registry']): ManagedProcess | undefined {
  const token = pid === undefined ? undefined : variableOfProcess(pid, treeVariable);
  if (token === undefined) return undefined;
  return registry
    .select([])
    .flatMap(({ group }) => group.all)
    .find(({ child }) => child?.tree?.token === token);
}

function methodOf(name: string, params: object): string {
  if (name !== 'inspect') return name;
  const { question } = params as Params<'inspect'>;
  return question.kind === 'queue' ? `queue ${question.act}` : question.kind;
}

/** What a target selects now: the command may be about to delete it. */
function concernedBy(registry: NotingDeps['registry'], params: object): Concerned {
  const {
    app,
    id,
    targets = id === undefined ? undefined : [String(id)],
  } = params as {
    app?: { name: string };
    id?: number;
    targets?: string[];
  };
  if (app) return { app: app.name };
  const [name, ...others] = targets === undefined ? [] : namesOf(registry, targets);
  return name !== undefined && others.length === 0
    ? { app: name }
    : { apps: name === undefined ? [] : [name, ...others] };
}

function namesOf(registry: NotingDeps['registry'], targets: string[]): string[] {
  try {
    return registry.select(targets).map(({ group }) => group.name);
  } catch {
    // The command will fail, and say why.
    return [];
  }
}
