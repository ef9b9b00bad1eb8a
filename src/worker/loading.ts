// Tells the daemon when the program is loaded. Before that, time says nothing about it: one that needs seconds for its modules has not
// proved anything, and one that fails meanwhile would be taken for one that had run for a while.
import type { EventLoopUtilization } from 'node:perf_hooks';
import { send } from './channel.ts';
import { monotonicNow } from './clock.ts';
import { hasLoadedHttp } from './node-http.ts';
import { isTakenByApp } from './node-processes.ts';
import { hasRequest } from './node-sockets.ts';
import { hasServers } from './servers/servers.ts';
import { errorSummary } from './shutdown/fatal-print.ts';

/** Saved, because an app may replace the globals, for example with fake timers. */
const { setTimeout, setImmediate } = globalThis;
const { getBuiltinModule } = process;

/** Milliseconds. */
const betweenLooks = 50;
/** Milliseconds for which a program does nothing once it is loaded. */
const quietFor = 100;
/** The same while it waits for a file, a name or a connection: that may be what it needs to go on loading, or take for ever. */
const timeout = 1_000;
/** Milliseconds from the first turn of the event loop on, after which one that is always busy counts as loaded. */
const longest = 5_000;
/** The share of the time in which its threads, or its event loop, are at work. */
const busy = 0.5;

const loading = /^(FSReq|GetAddrInfo|GetNameInfo|TCPConnect|PipeConnect)/;
const besidesTimers = /^(?!Timeout|Immediate)/;

/** The main module of CommonJS is evaluated before the first turn. One of ES modules may need several. */
export function reportWhenLoaded(): void {
  process.on('uncaughtExceptionMonitor', reportUnloadable);
  setImmediate(watch);
}

/** The codes of errors of Node's loader. Not ENOENT: a file that the program reads may be there later. */
const lacking = /^(ERR_)?MODULE_NOT_FOUND$|^ERR_(PACKAGE_|REQUIRE_|UNKNOWN_FILE_|UNSUPPORTED_|INVALID_TYPESCRIPT_)/;

/** Not of an error that the app handles: it may live on, and end for another reason. */
function reportUnloadable(error: unknown): void {
  if (!isTakenByApp() && isOfLoader(error)) send({ type: 'unloadable', error: errorSummary(error) });
}

/** Errors may have been made by the app, with getters and stacks of any kind. */
function isOfLoader(error: unknown): boolean {
  try {
    const { code, path } = error as { code?: unknown; path?: unknown };
    if (typeof code === 'string' && lacking.test(code)) return true;
    if (code === 'EACCES' && path === process.argv[1]) return true;
    return error instanceof SyntaxError && isThrownByLoader(error);
  } catch {
    return false;
  }
}

/** Rather than by a parser that the program has called. The loader reads JSON, too, and compiles with functions of node:vm. */
function isThrownByLoader({ stack }: { stack?: unknown }): boolean {
  const calls = String(stack)
    .split('\n')
    .filter((line) => /^ +at (?!(JSON\.)?parse |.*node:internal\/vm)/.test(line));
  return /[( ]node:internal\/modules\//.test(calls[0] ?? '');
}

function watch(): void {
  const begin = monotonicNow();
  let quietSince = begin;
  let before: Measured = { at: begin, cpu: cpuTime() };
  const look = () => {
    const current = measure();
    if (isBusy(before, current)) quietSince = current.at;
    before = current;
    const quiet = current.at - quietSince;
    const isLoaded = quiet >= timeout || (quiet >= quietFor && !hasRequest(loading)) || current.at - begin >= longest;
    if (isLoaded) send({ type: 'loaded', ...(isIdle() && { isIdle: true }) });
    else setTimeout(look, betweenLooks).unref();
  };
  setTimeout(look, betweenLooks).unref();
}

/** Whether it waits for nothing but timers. A server that will listen when one fires has loaded Node's HTTP server by now. */
function isIdle(): boolean {
  return !hasRequest(besidesTimers) && !hasLoadedHttp();
}

interface Measured {
  at: number;
  cpu: number;
  /** Of the event loop, since it began. Not of a program that listens: it would load ten modules of Node that others do not need. */
  loop?: EventLoopUtilization | undefined;
}

function measure(): Measured {
  return { at: monotonicNow(), cpu: cpuTime(), loop: hasServers() ? undefined : utilizationOfLoop() };
}

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function utilizationOfLoop(...spans: EventLoopUtilization[]): EventLoopUtilization {
  return getBuiltinModule('node:perf_hooks').performance.eventLoopUtilization(...spans);
}

/** Modules are also loaded in a thread of their own (`module.register`), while this one only waits. */
function isBusy(before: Measured, current: Measured): boolean {
  const cpu = (current.cpu - before.cpu) / (current.at - before.at);
  const { loop } = current;
  return cpu > busy || (loop !== undefined && sinceThen(loop, before.loop).utilization > busy);
}

/** At the first look, since the loop began. */
function sinceThen(loop: EventLoopUtilization, before: EventLoopUtilization | undefined): EventLoopUtilization {
  return before ? utilizationOfLoop(loop, before) : loop;
}
