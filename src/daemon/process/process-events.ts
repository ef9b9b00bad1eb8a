// Turns an effect of the table that reports something into an event of the daemon. Pure.
import type { AppSpec } from '../../config/app-spec.ts';
import type { LogsAt } from '../../ipc/journal/event-views.ts';
import { describeReason } from '../../ipc/records/deaths.ts';
import { renderDuration } from '../../shared/units.ts';
import type { DaemonEvent } from '../events.ts';
import type { Effect } from './lifecycle/state.ts';

/** Of an exit, `process.ts` makes the event. */
export type EmitEffect = Exclude<Extract<Effect, { do: `emit${string}` }>, { do: 'emitExited' }>;

type AboutProcess<E> = E extends { slot?: number } ? Omit<E, 'app' | 'id' | 'slot'> : never;

/** An event without the fields that identify the process. */
export type ProcessEvent = AboutProcess<DaemonEvent>;

interface Facts {
  spec: AppSpec;
  /** The one that asks the process to stop; undefined if there is none. */
  stopSignal: NodeJS.Signals | undefined;
  logsAt(): LogsAt;
  /** The last lines of the process's error log. */
  lastLines(): string;
}

export function eventOf(effect: EmitEffect, { spec, stopSignal, logsAt, lastLines }: Facts): ProcessEvent {
  switch (effect.do) {
    case 'emitStarted':
      return { type: 'start', pid: effect.pid, logsAt: logsAt() };
    case 'emitOnline':
      return { type: 'online', pid: effect.pid };
    case 'emitLate':
      return { type: 'ready-timeout', pid: effect.pid };
    case 'emitUnspawnable':
      return { type: 'spawn-failed', reason: effect.detail };
    case 'emitReplacing':
      return { type: 'replace', reason: describeReason(effect.reason) };
    case 'emitKept':
      return { type: 'not-replaced', reason: effect.detail, delay: effect.delay };
    case 'emitHeld':
      return { type: 'held', waitsFor: [...effect.waitsFor] };
    case 'emitOverdue': {
      const { pid, limit } = effect;
      return { type: 'kill-timeout', pid, detail: `did not exit within ${renderDuration(limit)} of ${stopSignal}` };
    }
    case 'emitGiveup': {
      const { reason, cause, isInLog } = effect;
      return { type: 'giveup', reason, lastError: (isInLog && lastLines()) || cause, spec };
    }
  }
}

export function restartIn(delay: number, reason: string | undefined): ProcessEvent {
  return { type: 'restart', delay, ...(reason !== undefined && { reason }) };
}
