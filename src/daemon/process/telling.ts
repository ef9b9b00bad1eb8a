// Turns an effect of the table that reports something into an event of the daemon. Pure.
import type { AppSpec } from '../../config/app-spec.ts';
import { renderDuration } from '../../shared/units.ts';
import type { DaemonEvent } from '../events.ts';
import type { Effect } from './state.ts';

export type Telling = Extract<Effect, { do: `tell${string}` }>;

type AboutProcess<E> = E extends { slot: number } ? Omit<E, 'app' | 'id' | 'slot'> : never;

/** An event without the fields that identify the process. */
export type ProcessNews = AboutProcess<DaemonEvent>;

interface Facts {
  /** The pid of the process that ends. */
  pid: number;
  spec: AppSpec;
  /** The last lines of the process's error log. */
  lastLines(): string;
}

export function toldBy(effect: Telling, { pid, spec, lastLines }: Facts): ProcessNews {
  switch (effect.do) {
    case 'tellStarted':
      return { type: 'started', pid: effect.pid };
    case 'tellOnline':
      return { type: 'online', pid: effect.pid };
    case 'tellLate':
      return { type: 'late', pid: effect.pid };
    case 'tellUnspawnable':
      return { type: 'unspawnable', detail: effect.detail };
    case 'tellOverdue': {
      const { killTimeout, stopSignal } = spec;
      return {
        type: 'overdue',
        pid: effect.pid,
        detail: `did not exit within ${renderDuration(killTimeout)} of ${stopSignal}`,
      };
    }
    case 'tellExited':
      return { type: 'ended', pid, exit: effect.exit, asked: effect.asked };
    case 'tellGiveup': {
      const { reason, cause, isInLog } = effect;
      return { type: 'giveup', reason, lastError: (isInLog && lastLines()) || cause, spec };
    }
  }
}
