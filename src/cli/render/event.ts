// Renders an event as one line.
import { appsOf } from '../../ipc/journal/event-line.ts';
import type { CallerView, EventView } from '../../ipc/journal/event-views.ts';
import { withFile } from '../../ipc/records/problems.ts';
import { renderDuration } from '../../shared/units.ts';
import { growthText } from './growth.ts';
import { droppedText } from './log-results.ts';
import type { Paint, Tone } from './paint.ts';
import { printable, toJson } from './text.ts';

const tones: Partial<Record<EventView['type'], Tone>> = {
  online: 'good',
  reload: 'good',
  restart: 'warning',
  held: 'warning',
  leak: 'warning',
  dependency: 'warning',
  'ready-timeout': 'warning',
  blocked: 'bad',
  'not-ready': 'warning',
  'ready-again': 'good',
  'not-alive': 'bad',
  'not-exiting': 'warning',
  'kill-timeout': 'bad',
  'requests-cut': 'bad',
  'channel-closed': 'bad',
  'spawn-failed': 'bad',
  giveup: 'bad',
  problem: 'bad',
  'reload-failed': 'bad',
  warning: 'warning',
  command: 'key',
  'command-failed': 'bad',
  replace: 'warning',
  'not-replaced': 'warning',
  leaving: 'warning',
};

/** What a type is called for people, where its own name says too little. */
const labels: Partial<Record<EventView['type'], string>> = {
  'ready-timeout': 'not ready in time',
  'not-alive': 'live probe failed',
  'request-limit': 'request limit reached',
  blocked: 'event loop blocked',
  leak: 'memory leak',
  'kill-timeout': 'killed',
  'requests-cut': 'requests cut off',
  'channel-closed': 'IPC channel closed',
  'spawn-failed': 'failed to start',
  'settings-changed': 'runtime settings changed',
};

/** Causes that the rest of the line says already. */
const impliedCauses: readonly EventView['cause'][] = ['exit', 'signal', 'asked', 'unknown'];

/** `2026-01-31T09:00:00.000Z 0|web|0 exit pid 4242, code 3` */
export function renderEvent(event: EventView, paint: Paint): string {
  const { type, at, id, slot } = event;
  const apps = appsOf(event).map(printable).join(',');
  const subject = [id, apps, slot].filter((part) => part !== undefined && part !== '').join('|');
  const details = detailsOf(event).join(', ');
  const line = [
    paint('faint', new Date(at).toISOString()),
    ...(subject ? [paint('cyan', subject)] : []),
    paint(tones[type] ?? 'plain', labelOf(event)),
  ];
  return [...line, ...(details ? [printable(details)] : [])].join(' ');
}

function labelOf({ type, about }: EventView): string {
  const label = labels[type] ?? type.replaceAll('-', ' ');
  if (about === undefined) return label;
  return type === 'solved' ? `${about} problem solved` : `${about} problem`;
}

function detailsOf(event: EventView): string[] {
  const { method, by, count, since, at, cause } = event;
  const { pid, exit, asked, delay, reason, requests, instances, version, keys = [] } = event;
  const { file, to, dropped, files = [], detail, message } = event;
  const { waitsFor, on, ready, perHour, left = null } = event;
  return [
    ...(method === undefined ? [] : [by?.command ?? method]),
    ...(by ? [callerText(by)] : []),
    ...(pid === undefined ? [] : [`pid ${pid}`]),
    ...(exit ? [exit.signal === null ? `code ${exit.code}` : `signal ${exit.signal}`] : []),
    ...(asked && (cause ?? 'asked') === 'asked' ? ['on request'] : []),
    ...(cause === undefined || impliedCauses.includes(cause) ? [] : [cause]),
    ...(delay ? [`${event.type === 'not-replaced' ? 'next attempt ' : ''}in ${renderDuration(delay)}`] : []),
    ...(waitsFor ? [`waits for ${waitsFor.join(', ')}`] : []),
    ...(on === undefined ? [] : [`${on} is ${ready ? 'ready again' : 'not ready any more'}`]),
    ...(requests === undefined ? [] : [`requests ${requests}`]),
    ...(perHour === undefined ? [] : [growthText({ perHour, left })]),
    ...(instances === undefined ? [] : [`instances ${instances}`]),
    ...(version === undefined ? [] : [`version ${version}`]),
    ...keys,
    ...(reason === undefined ? [] : [reason]),
    ...(file === undefined || event.type === 'problem' ? [] : [to === undefined ? file : `${file} to ${to}`]),
    ...(dropped === undefined ? [] : [droppedText(dropped)]),
    ...files,
    ...(detail === undefined ? [] : [event.type === 'problem' ? withFile(detail, file) : detail]),
    ...(message ? [`${message.type} ${toJson(message.data ?? null)}`] : []),
    ...(count === undefined ? [] : [`${count} times in ${renderDuration(at - (since ?? at))}`]),
  ];
}

/** `by ann on /dev/pts/3 from 192.0.2.7, pid 4242` */
function callerText({ user, uid, terminal, host, pid, signal }: CallerView): string {
  if (signal !== undefined) return `by ${signal}`;
  const words = [
    `by ${user ?? (uid === undefined ? 'an unknown client' : `uid ${uid}`)}`,
    ...(terminal === undefined ? [] : [`on ${terminal.replace('/dev/', '')}`]),
    ...(host === undefined ? [] : [`from ${host}`]),
  ];
  return [words.join(' '), ...(pid === undefined ? [] : [`pid ${pid}`])].join(', ');
}
