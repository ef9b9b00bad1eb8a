// One process and its state table, with the world played by hand.
import { parseAppSpec } from '../../src/config/app-spec.ts';
import { next } from '../../src/daemon/process/lifecycle/lifecycle.ts';
import {
  deadlineOf,
  type Effect,
  type LifecycleEvent,
  type State,
  type TransitionContext,
} from '../../src/daemon/process/lifecycle/state.ts';
import { asked } from '../../src/ipc/records/deaths.ts';

type Settings = Partial<Omit<TransitionContext, 'rules'>> & { rules?: Partial<TransitionContext['rules']> };

/** By which anything that ends is started again at once, three times a minute. */
const rules = parseAppSpec({ name: 'web', script: '/app.js', cwd: '/', maxRestarts: 3, restartWindow: 60_000 });

export function contextOf({ rules: changed, ...settings }: Settings = {}): TransitionContext {
  return {
    name: 'web',
    now: 0,
    listenTimeout: 30_000,
    retryAfter: 0,
    readiness: 'any',
    listens: false,
    reportsLoaded: false,
    readyTimeout: 1_000,
    idleTimeout: 1_000,
    rules: { ...rules, ...changed },
    recent: [],
    wait: 0,
    holdsSlot: true,
    isFirst: false,
    deadlyErrors: ['exception', 'rejection'],
    missingApps: [],
    sockets: 'held',
    ...settings,
  };
}

/** A process whose clock and world are turned by hand. */
export class Supervised {
  state: State = { kind: 'stopped' };
  /** What was done, in order. */
  effects: Effect['do'][] = [];
  /** What was counted and reported, in order. */
  reported: Effect[] = [];
  now = 0;
  /** Whether descendants outlive the process. */
  orphans = false;
  /** Why it cannot be executed. */
  spawnFails: string | undefined;
  /** Whether it is asked by a message, which it has to answer. */
  takesMessages = false;
  readonly #settings: Settings;
  #recent: readonly number[] = [];

  constructor(settings: Settings = {}) {
    this.#settings = settings;
  }

  static started(settings?: Settings): Supervised {
    const web = new Supervised(settings);
    web.happens({ type: 'start' });
    return web;
  }

  /** Of one that is ready, what it took is forgotten. */
  static online(settings?: Settings): Supervised {
    const web = Supervised.started(settings);
    web.happens({ type: 'ready' });
    web.effects = [];
    web.reported = [];
    return web;
  }

  happens(event: LifecycleEvent): void {
    const context = contextOf({ now: this.now, recent: this.#recent, ...this.#settings });
    const { state, effects } = next(this.state, event, context);
    this.state = state;
    for (const effect of effects) this.#perform(effect);
  }

  exits(code: number): void {
    this.happens({ type: 'exited', exit: { code, signal: null } });
  }

  isAskedToStop(): void {
    this.happens({ type: 'stop', reason: asked('stop') });
  }

  /** Lets time pass up to `at`, waking the process at each of its deadlines. */
  waitsUntil(at: number): void {
    for (let due = deadlineOf(this.state); due !== null && due <= at; due = deadlineOf(this.state)) {
      this.now = due;
      this.happens({ type: 'deadline' });
    }
    this.now = at;
  }

  #perform(effect: Effect): void {
    if (/^(emit|count)/.test(effect.do)) this.reported.push(effect);
    else this.effects.push(effect.do);
    if (effect.do === 'countAgainstLimit') this.#recent = effect.recent;
    if (effect.do === 'spawn') {
      this.happens(
        this.spawnFails === undefined ? { type: 'spawned', pid: 42 } : { type: 'failed', detail: this.spawnFails },
      );
    }
    if (effect.do === 'ask' && !this.takesMessages) this.happens({ type: 'answered' });
    if ((effect.do === 'look' || effect.do === 'askLeftovers') && !this.orphans) this.happens({ type: 'treeGone' });
    if (effect.do === 'bind') this.happens({ type: 'bound', aborted: false });
  }
}
