import { existsSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import { createSpawnLog, readSpawnLog } from '../../../../src/daemon/state/spawn-log.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

let directory: string;
const file = () => join(directory, 'spawns');
const app = (env: Record<string, string> = {}) => parseAppSpec({ name: 'web', script: '/app.js', cwd: '/', env });
const reported: string[] = [];
const logOf = (rest: { file?: string; isIntact?: () => boolean } = {}) =>
  createSpawnLog({ file: file(), isIntact: () => true, logError: (text) => reported.push(text), ...rest });
const given = () => [...readSpawnLog(file())].filter(([mark]) => mark.startsWith('mark'));

beforeEach(() => {
  directory = temporaryDirectory();
  reported.length = 0;
});

describe('the spawn log', () => {
  it('has the marks of all daemons of the home, readable by its owner only', () => {
    expect(given()).toEqual([]);
    logOf().add('mark 1');
    logOf().add('mark 2');
    expect(given()).toEqual([
      ['mark 1', undefined],
      ['mark 2', undefined],
    ]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('has its space reserved from the first mark on, for a disk that is full later', () => {
    const log = logOf();
    log.add('mark 1');
    const { size, blocks } = statSync(file());
    expect(blocks * 512).toBeGreaterThanOrEqual(size);
    for (let each = 0; each < 500; each += 1) log.add(`mark ${each} ${'x'.repeat(100)}`);
    expect(statSync(file()).size).toBe(size);
  });

  it('continues after the last complete line if a daemon has died while writing', () => {
    const log = logOf();
    log.add('mark 1');
    log.add('mark 2, of which the end is missing');
    const text = readFileSync(file(), 'latin1');
    truncateSync(file(), text.indexOf(', of which') + 4);
    logOf().add('m');
    logOf().add('mark 3');
    expect(given().map(([mark]) => mark)).toEqual(['mark 1', 'mark 3']);
    expect(readSpawnLog(file()).has('m')).toBe(true);
  });

  it('has the settings of apps that start while the state cannot be written', () => {
    const spec = app({ LINES: 'a\nb\tc', NAME: 'é' });
    logOf().add('mark 1', spec);
    expect(given()).toEqual([['mark 1', { spec }]]);
  });

  it('leaves out settings for which there is no room beside the marks', () => {
    const log = logOf();
    log.add('mark 1', app({ LONG: 'x'.repeat(100_000) }));
    const spec = app({ LONG: 'x'.repeat(90_000) });
    log.add('mark 2', spec);
    expect(given()).toEqual([
      ['mark 1', {}],
      ['mark 2', { spec }],
    ]);
  });

  it('is not written to a home that is no longer intact', () => {
    logOf({ isIntact: () => false }).add('mark 1');
    expect(existsSync(file())).toBe(false);
    expect(reported).toEqual([]);
  });

  it('prevents no start if it cannot be written, which is reported once', () => {
    const log = logOf({ file: '/dev/full' });
    log.add('mark 1');
    log.add('mark 2', app());
    expect(reported).toEqual([expect.stringMatching(/^failed to write \/dev\/full: ENOSPC/)]);
  });
});
