// What becomes of log lines when their parts work together: formatted, rotated, and the daemon dies in between.
// @module-tag full
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { fixture, homeForEach } from '../../helpers/nsv.ts';
import { linesThrough, rotations } from '../../helpers/rotated.ts';

const nsv = homeForEach();

interface Entry {
  slot: number;
  pid: number;
  message: string;
}

it('formatted lines of two instances are each logged once, through rotations by two daemons', async () => {
  const merged = ['--log-type', 'json', '--merge-logs', '--log-keep', '1000', '--log-total', '0'];
  await nsv.ok('start', fixture('counts.cjs'), '-i', '2', ...merged, '--log-max-size', '200k');
  const outFile = (await nsv.list())[0]!.outFile!;
  const hasGrownBy = (count: number) => {
    const before = rotations(outFile).length;
    return eventually(() => rotations(outFile).length >= before + count);
  };
  await hasGrownBy(2);
  await nsv.replaceDaemon();
  await hasGrownBy(2);
  expect((await nsv.list()).map(({ restarts, status }) => [restarts, status])).toEqual([
    [0, 'online'],
    [0, 'online'],
  ]);
  await nsv.ok('stop', 'all');
  const found = new Map<number, number[]>();
  for (const line of linesThrough(outFile)) {
    const { slot, message } = JSON.parse(line) as Entry;
    const numbers = found.get(slot) ?? [];
    found.set(slot, numbers);
    numbers.push(Number(message.split(' ')[1]));
  }
  expect([...found.keys()].sort()).toEqual([0, 1]);
  for (const numbers of found.values()) expect(numbers.filter((number, index) => number !== index)).toEqual([]);
});

it('nsv logs reads the formatted log of an adopted process', async () => {
  const app = nsv.script('says.cjs', "process.on('SIGUSR2', () => console.log('heard')); setInterval(() => {}, 1e6);");
  await nsv.ok('start', app, '--time');
  await nsv.replaceDaemon();
  await nsv.ok('signal', 'SIGUSR2', 'says');
  const outFile = (await nsv.list())[0]!.outFile!;
  await eventually(() => readFileSync(outFile, 'utf8').endsWith(': heard\n'));
  expect(outFile).toBe(join(nsv.home, 'logs', 'says-0-out.log'));
  expect(await nsv.ok('logs', 'says', '--nostream', '--raw')).toMatch(/^\d{4}-\S+: heard\n$/);
});
