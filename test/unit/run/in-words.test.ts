import { expect, it } from 'vitest';
import { inWords } from '../../../src/run/in-words.ts';

it.each<[message: object, words: string]>([
  [{ exit: { code: 1, signal: null }, app: 'web', cause: 'exit', msg: 'exit' }, 'web: exit: exit code 1'],
  [{ exit: { code: null, signal: 'SIGKILL' }, app: 'web', msg: 'exit' }, 'web: exit: signal SIGKILL'],
  [
    { type: 'giveup', app: 'web', reason: 'it is over', msg: 'gave up on web: it is over' },
    'gave up on web: it is over',
  ],
  [{ app: 'web', delay: 2_000, msg: 'restart' }, 'web: restart: in 2s'],
  [
    { app: 'web', about: 'watch', detail: 'too many files', msg: 'problem' },
    'web: problem: about watch: too many files',
  ],
  [{ app: 'web', reason: 'its probe fails', msg: 'not-ready' }, 'web: not-ready: its probe fails'],
  [{ err: { message: 'no such file', stack: 'at x' }, msg: 'probes' }, 'probes: no such file'],
  [{ signal: 'SIGTERM', msg: 'stopping' }, 'stopping: signal SIGTERM'],
])('a message becomes a line for people: %j', (message, words) => {
  expect(inWords(JSON.stringify({ level: 40, time: 1, pid: 7, id: 0, slot: 0, ...message }))).toBe(`nsv: ${words}\n`);
});
