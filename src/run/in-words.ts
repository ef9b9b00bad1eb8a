// The messages of `nsv run` for whoever sits at a terminal. Pure.
import { describeExit } from '../daemon/process/lifecycle/restart-policy.ts';
import type { Exit } from '../ipc/views.ts';
import { renderDuration } from '../shared/units.ts';

interface Message {
  msg: string;
  app?: string;
  exit?: Exit;
  [fact: string]: unknown;
}

/** What only programs need, or what the text of the message has already. */
const unsaid = [
  'level',
  'time',
  'pid',
  'id',
  'slot',
  'asked',
  'type',
  'reason',
  'lastError',
  'err',
  'cause',
  'since',
  'at',
];

/** `line`: a JSON line of the logger. `nsv: web: exit: exit code 1` */
export function inWords(line: string): string {
  const { msg, app, exit, ...facts } = JSON.parse(line) as Message;
  const subject = app === undefined || msg.startsWith('gave up on') ? [] : [app];
  const { reason, err } = facts as { reason?: string; err?: { message: string } };
  const causes = [exit && describeExit(exit), subject.length > 0 ? reason : undefined, err?.message];
  const others = Object.entries(facts).filter(([name, fact]) => !unsaid.includes(name) && typeof fact !== 'object');
  const more = others.map(([name, fact]) => {
    if (name === 'delay') return `in ${renderDuration(Number(fact))}`;
    if (name === 'count') return `${fact} times`;
    return name === 'detail' ? String(fact) : `${name} ${String(fact)}`;
  });
  return `nsv: ${[...subject, msg, ...causes.filter((cause) => cause !== undefined), ...more].join(': ')}\n`;
}
