// The types of `nsv/app`, written by hand: src/app imports them from here, and test/unit/app/types.test.ts compares the two.

/** Who this process is. */
export interface Instance {
  /** The name of the app; null without nsv. */
  readonly app: string | null;
  /** The number of the instance, from 0; 0 without nsv. */
  readonly slot: number;
  /** The id that `nsv list` shows; null without nsv. */
  readonly id: number | null;
  /** How many instances the app had when this process was started; 1 without nsv. `instances()` tells how many there are now. */
  readonly instances: number;
  /** What the variable `NSV_RELEASE` says, which a deployment may set; null if it is not set. */
  readonly release: string | null;
}

/** Who this process is. A process that the app has forked has what its parent has. */
export declare const instance: Instance;

/**
 * Says that the app can take work. nsv ends its wait for the start, as with `process.send('ready')`, and lets the process accept
 * connections again after `notReady()`.
 */
export declare function ready(): void;

/**
 * Says that the app cannot take work for now. Called before the app listens, nsv waits for `ready()`. Later the process leaves
 * the accept queue of its sockets, unless it is the last that accepts there; what it has accepted, it goes on answering.
 */
export declare function notReady(reason?: string): void;

/** Whether `ready()` was called, and not `notReady()` since. */
export declare function isReady(): boolean;

/** Resolves when the app is ready; at once if it is. */
export declare function whenReady(): Promise<void>;

export interface ShutdownContext {
  /** Aborted when the time of this handler is over. */
  readonly signal: AbortSignal;
  /** When that will be, in milliseconds since 1970. */
  readonly deadline: number;
  /** What began the shutdown: the name of a signal, what `shutdown()` was told, or the message of an uncaught error. */
  readonly reason: string;
}

export type ShutdownHandler = (context: ShutdownContext) => unknown;

export interface ShutdownOptions {
  /** What messages call the handler. Default: the name of the function. */
  name?: string;
  /** Milliseconds for the handler. Default: its share of the time that is left, the same for all handlers that are left. */
  timeout?: number;
}

/**
 * Calls `handler` at the end of the process: on SIGTERM, SIGINT, `shutdown()`, and when nsv stops, restarts or reloads the app.
 * Handlers run one after another, the last registered first, when no beacon is alive. One that fails or takes too long does
 * not keep others from their turn. Then the process exits, with code 0, or 1 if something failed or was cut.
 *
 * Returns a function that removes the handler.
 */
export declare function onShutdown(handler: ShutdownHandler, options?: ShutdownOptions): () => void;

/**
 * Ends the process as a signal would: work in progress is finished, the handlers run. Under nsv, requests are answered first,
 * and another process takes its place.
 */
export declare function shutdown(reason?: string): void;

/** Whether the end has begun: take no new work. */
export declare function isShuttingDown(): boolean;

/** Aborted when the end begins: `fetch(url, { signal: shutdownSignal() })`. */
export declare function shutdownSignal(): AbortSignal;

/** Milliseconds from the begin of the end to the exit, without nsv. Default: 10 s. Under nsv, `kill_timeout` decides. */
export declare function setShutdownTimeout(ms: number): void;

export interface Beacon {
  /** The work is done. */
  die(): void;
}

/** Work in progress: the shutdown handlers wait until it is done. If it takes too long, a message shows the context. */
export declare function beacon(context?: unknown): Beacon;

export interface WatchdogTimeout {
  /** How often the time has run out since the last `reset()`, from 1. */
  readonly consequentTimeouts: number;
}

export interface WatchdogTimerConfiguration {
  /** Milliseconds. */
  timeout: number;
  /** Called when the time has run out, and again after each further `timeout`, until `destroy()`. */
  onTimeout(event: WatchdogTimeout): void;
  /** What death records call it (`nsv deaths`). */
  name?: string;
}

export interface WatchdogTimer {
  /** The time begins anew. */
  reset(): void;
  /** The same as `reset`. */
  refresh(): void;
  /** Ends the timer for good. */
  destroy(): void;
}

/** Notices that a loop has not come round within `timeout` ms: it hangs at an `await`. It does not keep the process alive. */
export declare function createWatchdogTimer(configuration: WatchdogTimerConfiguration): WatchdogTimer;

/** Called at the end, without arguments. */
export type LightshipShutdownHandler = () => Promise<void> | void;

export interface ConfigurationInput {
  /** Outside Kubernetes, listen on a random port. Default: true. */
  detectKubernetes?: boolean;
  /**
   * Milliseconds for beacons to die, after `shutdownDelay`; then no handler is called. At least `shutdownHandlerTimeout`. Default: 30 000; under nsv, at
   * most what `kill_timeout` leaves.
   */
  gracefulShutdownTimeout?: number;
  /** Default: `LIGHTSHIP_PORT`, or 9000. */
  port?: number;
  /** Milliseconds in which new work may still come, before the beacons are waited for. Default: 5000 in Kubernetes, 0 elsewhere. */
  shutdownDelay?: number;
  /** Milliseconds for all shutdown handlers together. Default: 5000. */
  shutdownHandlerTimeout?: number;
  /** Default: SIGTERM, SIGHUP and SIGINT. */
  signals?: readonly string[];
  /** Ends the process if it does not end by itself. Default: `() => process.exit(1)`. */
  terminate?: () => void;
  /** The former name of `gracefulShutdownTimeout`. */
  timeout?: number;
}

export interface BeaconController {
  die(): Promise<void>;
}

export interface Lightship {
  /** Work in progress, on which the shutdown handlers wait. */
  createBeacon(context?: object): BeaconController;
  isServerReady(): boolean;
  isServerShuttingDown(): boolean;
  /** Not ready before the promise is resolved. If it rejects, the process shuts down, and exits with 1. */
  queueBlockingTask(blockingTask: Promise<unknown>): void;
  /** Called in the order of registration. */
  registerShutdownHandler(shutdownHandler: LightshipShutdownHandler): void;
  /** Answers `/health`, `/live` and `/ready`. */
  server: import('node:http').Server;
  /** Resolves when the handlers have run. */
  shutdown(): Promise<void>;
  signalNotReady(): void;
  signalReady(): void;
  /** Resolves when the server is ready for the first time. Rejects if a blocking task fails before. */
  whenFirstReady(): Promise<void>;
}

/** The same names and meanings as in the package `lightship`. The result can be used at once, and can be awaited. */
export declare function createLightship(configuration?: ConfigurationInput): Lightship & Promise<Lightship>;

/** What `nsv config` has set: values that JSON can hold, by key. Frozen. */
export type SettingValues = Readonly<Record<string, unknown>>;

export interface SettingsChange {
  readonly version: number;
  /** The keys whose values have changed. */
  readonly keys: readonly string[];
  /** All values as they were. */
  readonly before: SettingValues;
}

/** Settings that change while the app runs: docs/settings.md. Without nsv there are none. */
export interface Settings {
  /** Counts the changes; 0 if there was none. */
  readonly version: number;
  /** All values. They are there before the first line of the app runs. */
  get(): SettingValues;
  /** One value; undefined if it is not set. */
  get<T = unknown>(key: string): T | undefined;
  /** Calls `handler` after each change. */
  on(event: 'change', handler: (values: SettingValues, change: SettingsChange) => void): this;
  off(event: 'change', handler: (values: SettingValues, change: SettingsChange) => void): this;
  /**
   * Calls `check` before each change. If it throws, returns false, or returns a promise that rejects, resolves to false or takes longer
   * than 2 s, the change is rejected in all instances, and whoever wanted it gets the message of the error. The returned function
   * removes the check.
   */
  check(check: (values: SettingValues, current: SettingValues) => unknown): () => void;
}

/** Settings that change while the app runs. */
export declare const settings: Settings;

/**
 * Sends a message to the other instances of the app that listen at that moment. Each gets it at most once; one that is blocked for long,
 * is just starting or has lost its daemon may not get it. Does nothing without nsv.
 *
 * Rejects with a TypeError for what JSON cannot hold, and with an error whose code is `NSV_TOO_LARGE` (more than 64 KB as JSON),
 * `NSV_TOO_FAST` (more than 100 messages a second) or `NSV_NO_DAEMON` (there is none at the moment).
 */
export declare function broadcast(message: unknown): Promise<void>;

/** Calls `handler` with each message of another instance. The returned function ends that. */
export declare function onMessage(handler: (message: unknown, from: { readonly slot: number }) => void): () => void;

/** A process of the app, running or ended. */
export interface InstanceInfo {
  /** The number of the instance, from 0. */
  readonly slot: number;
  /** The id that `nsv list` shows; null without nsv. */
  readonly id: number | null;
  readonly pid: number;
  /** The name of the machine. */
  readonly host: string;
  readonly alive: boolean;
  /** When it was started, in milliseconds since 1970. */
  readonly since: number;
  /** When it was last known to run, in milliseconds since 1970; for one that has ended, its end. */
  readonly lastSeen: number;
}

/**
 * The instances of the app: those that run, by slot, then up to 20 processes that have ended while this daemon ran, the last one first.
 * Without nsv: this process alone. Rejects with the code `NSV_NO_DAEMON` if the daemon does not answer.
 */
export declare function instances(): Promise<InstanceInfo[]>;

/** The labels of one value, such as `{ status: 'paid' }`. */
export type MetricLabels = Readonly<Record<string, string | number | boolean>>;

export interface MetricOptions {
  /** One line that says what is counted or measured. */
  help?: string;
  /** The unit in the plural, as Prometheus has it: `seconds`, `bytes`. */
  unit?: string;
}

export interface GaugeOptions extends MetricOptions {
  /** How the values of several instances become one. Default: `sum`. */
  merge?: 'sum' | 'max' | 'min';
}

export interface HistogramOptions extends MetricOptions {
  /** The upper bounds of the buckets, ascending, at most 50. Default: those of Prometheus, from 5 ms to 10 s in seconds. */
  buckets?: readonly number[];
}

export interface Counter {
  /** Adds 1, or another number that is not negative. */
  add(value?: number, labels?: MetricLabels): void;
}

export interface Gauge {
  set(value: number, labels?: MetricLabels): void;
  /** Adds to the value, which is 0 at first. */
  add(value: number, labels?: MetricLabels): void;
}

export interface Histogram {
  record(value: number, labels?: MetricLabels): void;
}

/**
 * Numbers of the app, for `nsv show --json`. They stay in the process until somebody looks, or until it ends: then nsv keeps counters and
 * histograms, and adds them to those of the others. A name as Prometheus wants it: letters, digits
 * and underscores. The same name gives the same metric; another type of metric of that name is a TypeError. A process has at most 100
 * metrics, each with at most 200 combinations of labels: what comes after that is counted under the label `overflow`.
 */
export interface Metrics {
  counter(name: string, options?: MetricOptions): Counter;
  gauge(name: string, options?: GaugeOptions): Gauge;
  histogram(name: string, options?: HistogramOptions): Histogram;
}

/** Numbers of the app. */
export declare const metric: Metrics;
