// The life of this process: holds its state, and performs the effects of the table.
import type { ShutdownPart } from '../../ipc/app/bridge.ts';
import { type DownMessage, stopSignalOf } from '../../ipc/worker-messages.ts';
import { hasAppChannel, send } from '../channel.ts';
import { answerFirst, assist, drain, redirectClosed, unrefServers } from '../drain.ts';
import { keepIdle } from '../idle.ts';
import type { NodeServer } from '../node-sockets.ts';
import { hasServers } from '../servers/servers.ts';
import { errorSummary, printFatal } from './fatal-print.ts';
import { type Life, type LifeEffect, type LifeEvent, nextOfLife } from './life-table.ts';
import { watchRemaining } from './remaining.ts';
import { isHandled } from './stop-handlers.ts';

type StopMessage = Extract<DownMessage, { type: 'drain' }>;

/** Saved, because an app may replace them. */
const { setTimeout } = globalThis;
const kill = process.kill.bind(process);
const exit = process.exit.bind(process);

/** Milliseconds between the end of idle connections and the kill timeout. */
const reserve = 500;

let life: Life = 'serving';
/** Milliseconds. Until the daemon has sent it: its default. */
let killTimeout = 5_000;
/** The last request to stop. */
let asked: StopMessage | undefined;
/** What the library `nsv/app` does at the end, if the app uses it. */
let part: ShutdownPart | undefined;
let begun: Parameters<ShutdownPart['begin']>[0] | undefined;
let atExit = () => {};

/** The daemon has greeted this process. */
export function greet(hello: Extract<DownMessage, { type: 'hello' }>): void {
  ({ killTimeout } = hello);
}

/** Milliseconds that the process has from the moment it begins to end. */
export function timeToEnd(): number {
  return killTimeout;
}

/** The daemon asks the process to stop. What the app does about it comes first. */
export function shutDown(message: StopMessage): void {
  asked = message;
  killTimeout = message.killTimeout;
  dispatch({ type: 'stop', reason: signal(message), othersServe: message.othersServe });
}

/** The app ends by itself. False if the process ends already. */
export function leave(reason: string, by: 'app' | 'signal'): boolean {
  if (life !== 'serving') return false;
  dispatch({ type: 'leave', reason, by });
  return true;
}

/** Whether the process drains before an uncaught error ends it. A second error is left to Node, which exits at once. */
export function drainsOnError(): boolean {
  return life !== 'dying' && hasServers();
}

export function die(error: unknown): void {
  dispatch({ type: 'error', reason: errorSummary(error), error });
}

/** The app has closed its last server after an error. */
export function noteClosed(servers: ReadonlySet<NodeServer>): void {
  dispatch({ type: 'closed', servers });
}

export function takePart(library: ShutdownPart): void {
  part = library;
  if (begun) part.begin(begun);
}

/** Also runs right before the process ends itself by a signal, when there will be no 'exit'. */
export function runAtExit(callback: () => void): void {
  atExit = callback;
  process.once('exit', callback);
}

function dispatch(event: LifeEvent): void {
  const facts = {
    hasHandler: wantsMessage() || hasSignalHandler() || hasPart(),
    hasPart: hasPart(),
    isServing: hasServers(),
  };
  const next = nextOfLife(life, event, facts);
  life = next.life;
  for (const effect of next.effects) perform(effect);
}

function perform(effect: LifeEffect): void {
  switch (effect.do) {
    case 'reportDraining':
      send({ type: 'draining' });
      break;
    case 'reportLeaving':
      send({ type: 'leaving', reason: effect.reason, ...(effect.by && { by: effect.by }) });
      break;
    case 'keepIdle':
      keepIdle(killTimeout - Math.min(reserve, killTimeout / 2), effect.reports);
      break;
    case 'beginPart':
      begun ??= { reason: effect.reason, limit: killTimeout };
      part?.begin({ reason: effect.reason, limit: killTimeout });
      break;
    case 'answerFirst':
      answer(life);
      break;
    case 'drainThenRaise':
      drain(endBySignal);
      break;
    case 'drainThenExit':
      drain(exitAsFailed);
      break;
    case 'assist':
      assist();
      break;
    case 'watchRemaining':
      watchRemaining();
      break;
    case 'runHandlers':
      runHandlers();
      break;
    case 'proceed':
      usedPart()?.proceed(...(effect.exits ? [exitAsFailed] : []));
      break;
    case 'unrefServers':
      unrefServers();
      break;
    case 'print':
      printFatal(effect.error);
      break;
    case 'exitInTime':
      setTimeout(exitAsFailed, killTimeout);
      break;
    case 'redirectClients':
      redirectClosed(effect.servers);
  }
}

function answer(asked: Life): void {
  answerFirst(killTimeout / 2, () => dispatch({ type: 'answered', asked }));
}

function runHandlers(): void {
  if (wantsMessage()) process.emit('message', 'shutdown', undefined);
  else if (hasSignalHandler()) raise();
  usedPart()?.proceed();
}

function endBySignal(): void {
  atExit();
  raise();
}

/** Undefined if the library has nothing to do at the end. */
function usedPart(): ShutdownPart | undefined {
  return part?.isUsed() ? part : undefined;
}

function hasPart(): boolean {
  return usedPart() !== undefined;
}

function wantsMessage(): boolean {
  return asked?.message === true && hasAppChannel() && process.listenerCount('message') > 0;
}

function hasSignalHandler(): boolean {
  return asked !== undefined && isHandled(signal(asked));
}

/** Looked up each time: the app may have added or removed a handler. */
function signal(message: StopMessage): NodeJS.Signals {
  return stopSignalOf(message, isHandled);
}

function raise(): void {
  if (asked) kill(process.pid, signal(asked));
}

/** Exits as Node does: 'exit' listeners run and may choose another code. */
function exitAsFailed(): void {
  try {
    exit(1);
  } catch {
    // An 'exit' listener threw, which Node ignores.
    exit();
  }
}
