// Makes the exports, two at a time in all processes together.
import { rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { orders } from './queue.mjs';

orders.process(async ({ id, data }, { signal, progress }) => {
  const lines = ['number,square'];
  for (let row = 1; row <= data.rows; row += 1) {
    lines.push(`${row},${row ** 2}`);
    progress({ row, of: data.rows });
    // What takes long heeds the signal: then a process that must go gives the task back.
    await sleep(200, undefined, { signal });
  }
  // A task may run twice, if a process dies with it. So its file has the name of the task, and is complete when it is there.
  const file = join(tmpdir(), `export-${id}.csv`);
  await writeFile(`${file}.part`, `${lines.join('\n')}\n`);
  await rename(`${file}.part`, file);
  return { file };
});
