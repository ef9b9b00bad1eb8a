// Works on the tasks of the bench, and writes down when each attempt begins and ends: one line, one write, so that no line is torn.
import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { queueFrom } from './store.mjs';

const log = openSync(process.env.QUEUE_LOG, 'a');
const note = (...words) => writeSync(log, `${process.hrtime.bigint()} ${process.pid} ${words.join(' ')}\n`);
const queue = await queueFrom(process.env);

queue.process(async ({ id, data }, { attempt, signal }) => {
  note('begin', id, attempt);
  if (data.ms > 0) await sleep(data.ms, undefined, { signal }).catch(() => {});
  note('end', id, attempt);
  signal.throwIfAborted();
  return data.n;
});
