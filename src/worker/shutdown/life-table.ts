// How a process comes to its end, as one total table: what each event does in each state. Pure: life.ts performs the effects.
import type { NodeServer } from '../node-sockets.ts';

/**
 * `answering`: asked to stop; requests are answered before the handlers of the app run. `handled`: those have had their turn, and the
 * app ends by itself. `leaving`: the app ends by itself, with handlers of `nsv/app`; requests are answered first. `draining`: asked
 * to stop, and no handler of the app wants to know; the process ends when its work is done. `dying`: it has met an uncaught error.
 */
export type Life = 'serving' | 'answering' | 'handled' | 'leaving' | 'draining' | 'dying';

export type LifeEvent =
  /** The daemon asks the process to stop. `reason`: the signal. */
  | { type: 'stop'; reason: string; othersServe: boolean }
  /** The app ends by itself. */
  | { type: 'leave'; reason: string; by: 'app' | 'signal' }
  /** An error that nothing in the app has caught. `reason`: it in one line. */
  | { type: 'error'; reason: string; error: unknown }
  /** The app has closed its last server soon after an error that it has handled. `servers`: those that it has closed since. */
  | { type: 'closed'; servers: ReadonlySet<NodeServer> }
  /**
   * All requests are answered, or half of the kill timeout is over. The other half is for the app. `asked`: in which state that was wanted.
   */
  | { type: 'answered'; asked: Life };

export type LifeEventType = LifeEvent['type'];
type EventOf<T extends LifeEventType> = Extract<LifeEvent, { type: T }>;

export interface LifeFacts {
  /** Whether a handler of the app wants to know that the process is to stop. */
  readonly hasHandler: boolean;
  /** Whether the library `nsv/app` has something to do at the end. */
  readonly hasPart: boolean;
  /** Whether the process has servers. */
  readonly isServing: boolean;
}

export type LifeEffect =
  | { do: 'reportDraining' }
  /** Tell the daemon that the process will end by itself and wants a successor now. */
  | { do: 'reportLeaving'; reason: string; by?: 'app' | 'signal' }
  /** Keep idle connections, as other processes serve. `reports`: tell the daemon when nothing else is left. */
  | { do: 'keepIdle'; reports: boolean }
  /** Let `nsv/app` know that the end begins. */
  | { do: 'beginPart'; reason: string }
  /** Answer requests; `answered` follows. */
  | { do: 'answerFirst' }
  /** Wait for the end of all connections, then raise the signal. */
  | { do: 'drainThenRaise' }
  /** Wait for the end of all connections, then exit. */
  | { do: 'drainThenExit' }
  /** Close idle connections that the app would cut off. */
  | { do: 'assist' }
  /** Report what keeps the process from exiting. */
  | { do: 'watchRemaining' }
  /** Let the handlers of the app run. */
  | { do: 'runHandlers' }
  /** Let `nsv/app` end the process. `exits`: as an uncaught error does. */
  | { do: 'proceed'; exits: boolean }
  /** Let the process end when only servers without connections are left. */
  | { do: 'unrefServers' }
  | { do: 'print'; error: unknown }
  /** Exit at the kill timeout at the latest. */
  | { do: 'exitInTime' }
  /** Tell clients of the closed servers to connect elsewhere. */
  | { do: 'redirectClients'; servers: ReadonlySet<NodeServer> };

export interface LifeTransition {
  life: Life;
  effects: LifeEffect[];
}

type Cell<T extends LifeEventType> = (life: Life, event: EventOf<T>, facts: LifeFacts) => LifeTransition;

const to = (life: Life, ...effects: LifeEffect[]): LifeTransition => ({ life, effects });

const ignore = (life: Life) => to(life);

const acknowledge = (life: Life) => to(life, { do: 'reportDraining' });

const stop: Cell<'stop'> = (_life, { reason, othersServe }, { hasHandler }) => {
  const effects: LifeEffect[] = [{ do: 'reportDraining' }];
  if (othersServe) effects.push({ do: 'keepIdle', reports: true });
  effects.push({ do: 'beginPart', reason });
  return hasHandler
    ? to('answering', ...effects, { do: 'answerFirst' })
    : to('draining', ...effects, { do: 'drainThenRaise' });
};

/** The app may have added or removed a handler since. */
const stopAgain: Cell<'stop'> = (life, { reason }, { hasHandler }) => {
  const effects: LifeEffect[] = [{ do: 'reportDraining' }, { do: 'beginPart', reason }];
  return hasHandler
    ? to(life, ...effects, { do: 'runHandlers' })
    : to('draining', ...effects, { do: 'drainThenRaise' });
};

/** A process without servers needs no successor before it is gone. */
const leave: Cell<'leave'> = (_life, { reason, by }, { isServing }) => {
  const effects: LifeEffect[] = isServing
    ? [
        { do: 'reportLeaving', reason, by },
        { do: 'keepIdle', reports: false },
      ]
    : [];
  return to('leaving', ...effects, { do: 'beginPart', reason }, { do: 'answerFirst' });
};

/** If the event loop is blocked, the daemon kills the process. */
const die: Cell<'error'> = (_life, { reason, error }, { hasPart }) =>
  to(
    'dying',
    { do: 'reportLeaving', reason },
    { do: 'print', error },
    { do: 'beginPart', reason },
    { do: 'exitInTime' },
    { do: 'keepIdle', reports: false },
    { do: hasPart ? 'answerFirst' : 'drainThenExit' },
  );

const closed: Cell<'closed'> = (life, { servers }) =>
  to(
    life,
    { do: 'keepIdle', reports: false },
    { do: 'redirectClients', servers },
    { do: 'reportLeaving', reason: 'it closed its servers after an uncaught error' },
  );

const whenAnswered: Cell<'answered'> = (life, { asked }, { hasPart }) => {
  if (asked !== life) return ignore(life);
  if (life === 'leaving') return to(life, { do: 'assist' }, { do: 'proceed', exits: false }, { do: 'unrefServers' });
  if (life === 'dying') return to(life, { do: 'assist' }, { do: 'proceed', exits: true });
  const effects: LifeEffect[] = [{ do: 'assist' }];
  // The library knows what it waits for, and exits in time.
  if (!hasPart) effects.push({ do: 'watchRemaining' });
  return to('handled', ...effects, { do: 'runHandlers' }, { do: 'unrefServers' });
};

/** One row per state, one column per event. A missing cell does not compile. A second uncaught error is left to Node. */
const table: Record<Life, { [T in LifeEventType]: Cell<T> }> = {
  serving: { stop, leave, error: die, closed, answered: ignore },
  answering: { stop: acknowledge, leave: ignore, error: die, closed, answered: whenAnswered },
  handled: { stop: stopAgain, leave: ignore, error: die, closed, answered: ignore },
  leaving: { stop: acknowledge, leave: ignore, error: die, closed, answered: whenAnswered },
  draining: { stop: acknowledge, leave: ignore, error: die, closed, answered: ignore },
  dying: { stop: acknowledge, leave: ignore, error: ignore, closed, answered: whenAnswered },
};

export function nextOfLife(life: Life, event: LifeEvent, facts: LifeFacts): LifeTransition {
  const cell = table[life][event.type] as (life: Life, event: LifeEvent, facts: LifeFacts) => LifeTransition;
  return cell(life, event, facts);
}

/** All states and events, for the test of the table. */
export const lives = Object.keys(table) as Life[];
export const lifeEventTypes = Object.keys(table.serving) as LifeEventType[];
