// Targets that are regular expressions. They are evaluated here, in the client, and the daemon gets names: an expression
// may take for ever, and the daemon has other things to do.
import { failure, isFailure } from '../shared/errors.ts';
import { appsOf } from './journal/event-line.ts';
import type { EventView } from './journal/event-views.ts';
import type { Client, MethodName, Report } from './protocol.ts';

type Call = (params: object, report?: Report) => Promise<unknown>;

/** The expression between slashes. */
function sourceOf(target: unknown): string | undefined {
  return typeof target === 'string' ? /^\/(.+)\/$/s.exec(target)?.[1] : undefined;
}

/** Whether a target is written as a regular expression. */
export function isPattern(target: unknown): boolean {
  return sourceOf(target) !== undefined;
}

/** The expression of a pattern. Throws BAD_USAGE. */
export function matcherOf(target: string): RegExp {
  try {
    // Composed, as the names of apps are.
    return new RegExp(sourceOf(target)?.normalize() ?? '');
  } catch (cause) {
    throw failure('BAD_USAGE', { detail: `"${target}" is not a valid regular expression` }, { cause });
  }
}

/**
 * Resolves the expressions among the targets of each call to the names of the apps at that moment. Rejects with
 * NO_SUCH_APP if one matches none, as for any other target.
 */
export function withPatterns(client: Client, setFilter: (isMeant: (event: EventView) => boolean) => void): Client {
  const calls = client as unknown as Record<MethodName, Call>;

  async function namesOf(targets: readonly string[]): Promise<string[]> {
    const expressions = targets.map((target) => (isPattern(target) ? matcherOf(target) : target));
    const known = [...new Set((await client.list({ targets: [] })).map(({ name }) => name))];
    return expressions.flatMap((expression, index) => {
      if (typeof expression === 'string') return [expression];
      const names = known.filter((name) => expression.test(name));
      if (names.length === 0) throw failure('NO_SUCH_APP', { target: targets[index] ?? '' });
      return names;
    });
  }

  /** An app may be deleted between the two calls. The daemon selects all targets before it does anything. */
  async function resolved(name: MethodName, params: object, targets: string[], report?: Report): Promise<unknown> {
    for (let names = await namesOf(targets); ; ) {
      try {
        return await calls[name]({ ...params, targets: names }, report);
      } catch (error) {
        if (!isFailure(error, 'NO_SUCH_APP')) throw error;
        const now = await namesOf(targets);
        if (String(now) === String(names)) throw error;
        names = now;
      }
    }
  }

  /** Expressions alone select apps that are added later, too. */
  async function follow(params: object, targets: string[], report?: Report): Promise<unknown> {
    if (!targets.every(isPattern)) return resolved('follow', params, targets, report);
    await namesOf(targets);
    const expressions = targets.map(matcherOf);
    setFilter((event) => appsOf(event).some((app) => expressions.some((expression) => expression.test(app))));
    return calls.follow({ ...params, targets: [] }, report);
  }

  const names = Object.keys(client) as MethodName[];
  const wrapped = names.map((name): [string, Call] => [
    name,
    (params, report) => {
      const { targets } = params as { targets?: string[] };
      if (!targets?.some(isPattern)) return calls[name](params, report);
      return name === 'follow' ? follow(params, targets, report) : resolved(name, params, targets, report);
    },
  ]);
  return Object.fromEntries(wrapped) as unknown as Client;
}
