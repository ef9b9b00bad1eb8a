// Receives questions about this process. What answers them is a bundle of its own, which is loaded with the first question.
import { join } from 'node:path';
import type { DownMessage } from '../ipc/worker-messages.ts';
import { metricsOfApp, queueOfApp } from './app-bridge.ts';
import { isConnected, onDaemonLost, send } from './channel.ts';
import type { Answers } from './insight/main.ts';
import { watchDisconnect } from './node-channel.ts';

type QuestionMessage = Extract<DownMessage, { type: 'ask' | 'next-part' | 'cancel' }>;

/** Saved, because an app may replace them, for example with fake timers. */
const { setTimeout, setImmediate, clearTimeout } = globalThis;
const { nextTick, getBuiltinModule } = process;

let answers: Answers | undefined;

export function isQuestion(message: DownMessage): message is QuestionMessage {
  return message.type === 'ask' || message.type === 'next-part' || message.type === 'cancel';
}

export function onQuestion(message: QuestionMessage): void {
  if (message.type === 'ask' && message.about.kind === 'turn') confirmTurn(message.question);
  else if (message.type === 'ask') loaded().ask(message.question, message.about);
  else if (message.type === 'next-part') answers?.more(message.question);
  else answers?.unask(message.question);
}

/** That it is read is the answer: a watchdog may ask often, of a process that nobody looks into. */
function confirmTurn(question: number): void {
  send({ type: 'answer', question, step: 'done', text: '' });
}

function loaded(): Answers {
  if (answers) return answers;
  // Not imported: Node takes half a millisecond to prepare this module, and hardly any app is ever asked.
  const require = getBuiltinModule('node:module').createRequire(join(import.meta.dirname, 'preload.js'));
  const { createAnswers } = require('./insight/main.js') as typeof import('./insight/main.ts');
  const created = createAnswers({
    setTimeout,
    setImmediate,
    clearTimeout,
    metrics: metricsOfApp,
    queue: queueOfApp,
    send: (news) => send({ type: 'answer', ...news }),
  });
  // Whoever has asked is gone with the daemon.
  onDaemonLost(() => created.unaskAll());
  // Without a next daemon to wait for.
  watchDisconnect(() => nextTick(() => isConnected() || created.unaskAll()));
  answers = created;
  return created;
}
