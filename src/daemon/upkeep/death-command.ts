// Runs the user's --on-death command, which gets the record of the death: for a mail, a chat, a ticket.
import type { AppSpec } from '../../config/app-spec.ts';
import type { DeathView } from '../../ipc/views.ts';
import { type Clock, pause } from '../../shared/clock.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import { hookOf, hookProblem } from '../apps/hooks.ts';
import type { Hook, HookEnd } from '../launch/hook.ts';
import type { ReportProblem } from '../problems.ts';
import { isExpected } from '../process/death/death.ts';

export interface DeathCommandDeps {
  clock: Clock;
  /** Undefined if there is no such app. */
  settingsOf(app: string): AppSpec | undefined;
  run(hook: Hook): Promise<HookEnd>;
  report: ReportProblem;
}

/** Milliseconds between two runs for an app. Of the deaths in between, the last is passed on. */
const leastInterval = 10_000;
/** Milliseconds after which a command is killed. */
const longest = 30_000;

interface Turn {
  /** Whether a command runs, or has begun a moment ago. */
  isBusy: boolean;
  /** The last death for which no command has run. */
  waiting: DeathView | undefined;
  /** Deaths before it that are not passed on. */
  leftOut: number;
}

export function createDeathCommands({ clock, settingsOf, run, report }: DeathCommandDeps) {
  const turns = new Map<string, Turn>();
  const running = new Set<Promise<void>>();

  function next(app: string, turn: Turn): void {
    const { waiting: death, leftOut } = turn;
    const spec = settingsOf(app);
    if (!death || spec?.onDeath === undefined) {
      turns.delete(app);
      return;
    }
    Object.assign(turn, { isBusy: true, waiting: undefined, leftOut: 0 });
    const done = call(spec, spec.onDeath, { ...death, leftOut }).finally(() => running.delete(done));
    running.add(done);
    Promise.all([done, pause(clock, leastInterval)])
      .then(() => next(app, turn))
      .catch(throwUncaught);
  }

  async function call(spec: AppSpec, command: string, record: DeathView & { leftOut: number }): Promise<void> {
    const input = `${JSON.stringify(record)}\n`;
    const { problem } = await run({ ...hookOf(spec, command), input, timeout: longest });
    report(spec.name, 'on-death', hookProblem(command, problem));
  }

  return {
    /** Call it for each death. It returns at once. */
    died(death: DeathView) {
      const { app } = death;
      if (isExpected(death) || settingsOf(app)?.onDeath === undefined) return;
      const turn = turns.get(app) ?? { isBusy: false, waiting: undefined, leftOut: 0 };
      turns.set(app, turn);
      if (turn.waiting) turn.leftOut += 1;
      turn.waiting = death;
      if (!turn.isBusy) next(app, turn);
    },
    /** Resolves when no command is running. */
    settled: () => Promise.all(running),
  };
}
