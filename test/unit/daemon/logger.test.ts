import { closeSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAppSpec } from '../../../src/config/app-spec.ts';
import { createLogger, logEvent } from '../../../src/daemon/logger.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

let directory: string;
let file: string;

beforeEach(() => {
  directory = temporaryDirectory();
  file = join(directory, 'daemon.log');
});

const lines = () =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the log of the daemon', () => {
  it('has each line at once, readable by its owner only', () => {
    createLogger(file).info({ pid: 1 }, 'first');
    expect(lines()).toMatchObject([{ level: 30, pid: 1, msg: 'first' }]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is rotated at its limit, and the last file is kept', () => {
    const logger = createLogger(file, { limit: 1_000 });
    for (let count = 0; count < 100; count += 1) logger.info({ count }, 'x'.repeat(100));
    expect(statSync(file).size).toBeLessThan(1_300);
    expect(statSync(`${file}.1`).size).toBeLessThan(1_300);
    expect(lines().at(-1)).toMatchObject({ count: 99 });
  });

  it('counts the bytes that an earlier daemon wrote', () => {
    writeFileSync(file, 'y'.repeat(2_000));
    createLogger(file, { limit: 1_000 }).info('after');
    expect(readFileSync(`${file}.1`, 'utf8')).toBe('y'.repeat(2_000));
    expect(lines()).toMatchObject([{ msg: 'after' }]);
  });

  it('never writes to another file if its own cannot be reopened', () => {
    const logger = createLogger(file);
    const elsewhere = temporaryDirectory();
    renameSync(directory, join(elsewhere, 'moved'));
    expect(() => logger.reopen()).toThrow('ENOENT');
    const other = join(elsewhere, 'other');
    const fd = openSync(other, 'w');
    logger.info('mine');
    closeSync(fd);
    expect(readFileSync(other, 'utf8')).toBe('');
    renameSync(join(elsewhere, 'moved'), directory);
    expect(lines()).toMatchObject([{ msg: 'mine' }]);
  });

  it('loses lines without an error if the disk is full', () => {
    const logger = createLogger('/dev/full');
    expect(() => logger.info('lost')).not.toThrow();
  });

  it('has the highest level when nsv gives up, and omits the environment of the app', () => {
    const spec = parseAppSpec({ name: 'web', script: '/app.js', cwd: '/', env: { SECRET: 'hush' } });
    const facts = { app: 'web', id: 3, slot: 0, reason: 'too often', lastError: 'no database' };
    logEvent(createLogger(file), { at: 0, event: { type: 'giveup', ...facts, spec } });
    expect(lines()).toMatchObject([{ level: 60, ...facts }]);
    expect(readFileSync(file, 'utf8')).not.toContain('hush');
  });
});
