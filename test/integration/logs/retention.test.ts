// Rotated logs of which somebody has put something else in their place.
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { compressOld } from '../../../src/rotator/retention.ts';
import { rotatedName } from '../../../src/shared/rotations.ts';
import { makeFifo } from '../../helpers/program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nsv-retention-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('retention compresses no devices and no FIFOs', async () => {
  const log = join(folder, 'web.log');
  const [zero, fifo, regular, newest] = [1_000, 2_000, 3_000, 4_000].map((at) => rotatedName(log, at));
  symlinkSync('/dev/zero', zero!);
  await makeFifo(fifo!);
  for (const file of [regular!, newest!]) writeFileSync(file, 'one\n');
  await compressOld(log);
  expect(readdirSync(folder).sort()).toEqual([zero!, fifo!, `${regular}.gz`, newest!].map((file) => basename(file)));
});
