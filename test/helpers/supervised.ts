// One process and its state table, with the world played by hand.
import {
  deadlineOf,
  type Effect,
  type LifecycleEvent,
  next,
  type State,
  type TransitionContext,
} from '../../src/daemon/process/lifecycle.ts';
import type { Verdict } from '../../src/daemon/process/restart-policy.ts';

/** A process whose clock and world are turned by hand. */
export class Supervised {
  state: State = { kind: 'stopped' };
  effects: Effect['do'][] = [];
  now = 0;
  /** Whether descendants outlive the process. */
  orphans = false;
  spawnFails: Verdict | undefined;
  /** Whether it is asked by a message, which it has to answer. */
  takesMessages = false;
  readonly #settings: Partial<TransitionContext>;

  constructor(settings: Partial<TransitionContext> = {}) {
    this.#settings = settings;
  }

  happens(event: LifecycleEvent): void {
    const context: TransitionContext = {
      name: 'web',
      now: this.now,
      killTimeout: 5_000,
      minUptime: 1_000,
      listenTimeout: 30_000,
      retryAfter: 0,
      readiness: 'any',
      ...this.#settings,
    };
    const { state, effects } = next(this.state, event, context);
    this.state = state;
    for (const effect of effects) {
      this.effects.push(effect.do);
      if (effect.do === 'spawn') {
        this.happens(this.spawnFails ? { type: 'failed', verdict: this.spawnFails } : { type: 'spawned', pid: 42 });
      }
      if (effect.do === 'ask' && !this.takesMessages) this.happens({ type: 'answered' });
      if (effect.do === 'look' && !this.orphans) this.happens({ type: 'cleared' });
    }
  }

  /** Lets time pass up to `at`, waking the process at each of its deadlines. */
  waitsUntil(at: number): void {
    for (let due = deadlineOf(this.state); due !== null && due <= at; due = deadlineOf(this.state)) {
      this.now = due;
      this.happens({ type: 'deadline' });
    }
    this.now = at;
  }
}
