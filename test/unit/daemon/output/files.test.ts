import { describe, expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import { lineFormatOf } from '../../../../src/config/logs.ts';
import { logFiles, logFilesElsewhere, outletsOf } from '../../../../src/daemon/output/files.ts';

it('the log files of all apps are in one directory, even if a name contains a path', () => {
  const app = parseAppSpec({ name: '@acme/api:../x', script: '/srv/app.js', cwd: '/srv' });
  expect(logFiles(app, 0, '/logs')).toEqual({
    outFile: '/logs/@acme%2Fapi:..%2Fx-0-out.log',
    errorFile: '/logs/@acme%2Fapi:..%2Fx-0-err.log',
  });
});

it('a device is shared by all instances, but a file in /dev/shm is numbered', () => {
  const files = { outFile: '/dev/null', errorFile: '/dev/shm/err.log' };
  const app = parseAppSpec({ name: 'app', script: '/srv/app.js', cwd: '/srv', instances: 2, ...files });
  expect(logFiles(app, 1, '/logs')).toEqual({ outFile: '/dev/null', errorFile: '/dev/shm/err-1.log' });
});

describe('a log that is an output of the process that opens it', () => {
  const usual = { outFile: '/logs/app-0-out.log', errorFile: '/logs/app-0-err.log' };

  it.each<[settings: object, outFile: string | number, errorFile: string | number]>([
    [{ outFile: '/dev/stdout', errorFile: '/dev/stderr' }, 1, 2],
    [{ outFile: '/dev/stderr', errorFile: '/dev/fd/1' }, 2, 1],
    [{ outFile: '/proc/self/fd/1' }, 1, usual.errorFile],
    [{ errorFile: '/dev/stdout' }, usual.outFile, 1],
    [{ logFile: '/dev/stdout' }, 1, 1],
    [{ outFile: '/out.log', logFile: '/dev/stdout' }, '/out.log', 1],
    [{ outFile: '/dev/stdout.log', errorFile: '/dev/fd/3' }, '/dev/stdout.log', '/dev/fd/3'],
  ])('is that of the daemon if it has one, else the usual file: %j', (settings, outFile, errorFile) => {
    const app = parseAppSpec({ name: 'app', script: '/srv/app.js', cwd: '/srv', ...settings });
    expect(outletsOf(app, 0, '/logs', true)).toEqual({ outFile, errorFile });
    expect(outletsOf(app, 0, '/logs', false)).toEqual({
      outFile: typeof outFile === 'string' ? outFile : usual.outFile,
      errorFile: typeof errorFile === 'string' ? errorFile : usual.errorFile,
    });
  });
});

it.each<[settings: object, slot: number, file: string]>([
  [{}, 0, '/out.log'],
  [{ instances: 2 }, 0, '/out-0.log'],
  [{ instances: 2 }, 1, '/out-1.log'],
  [{ execMode: 'cluster' }, 0, '/out-0.log'],
  [{ execMode: 'cluster', mergeLogs: true }, 0, '/out.log'],
])('a log file is numbered if the settings allow several instances: %j', (settings, slot, file) => {
  const app = parseAppSpec({ name: 'app', script: '/srv/app.js', cwd: '/srv', outFile: '/out.log', ...settings });
  expect(logFiles(app, slot, '/logs').outFile).toBe(file);
});

const unchanged = { json: false, merge: false, date: null, prefix: false };
const inHome = '/logs/app-1-';
const none = '/dev/null';
const both = { outFile: '/out', errorFile: '/err' };

describe('the common file', () => {
  it.each<[title: string, settings: object, outFile: string, errorFile: string, logFile?: string]>([
    ['does not exist unless it is requested', {}, `${inHome}out.log`, `${inHome}err.log`],
    ['is the only one if no other is named', { logFile: '/all' }, '/all', '/all'],
    [
      'gets a copy of standard error with its own file',
      { errorFile: '/err', logFile: '/all' },
      '/all',
      '/err-1',
      '/all',
    ],
    ['gets a copy of standard output, too', { outFile: '/out', logFile: '/all' }, '/out-1', '/all', '/all'],
    ['gets a copy of both', { ...both, logFile: '/all.log' }, '/out-1', '/err-1', '/all.log'],
    [
      'is shared by all instances, as are the others with --merge-logs',
      { outFile: '/out', errorFile: '/out', logFile: '/all', mergeLogs: true },
      ...(['/out', '/out', '/all'] as const),
    ],
    ['is the only one beside /dev/null', { outFile: none, errorFile: none, logFile: '/all' }, '/all', '/all'],
    ['is the only one if the others are the same', { outFile: '/all', logFile: '/all' }, '/all', '/all'],
    ['is no copy in /dev/null', { outFile: '/out', logFile: none }, '/out-1', none],
    ['discards all in /dev/null alone', { logFile: none }, none, none],
  ])('%s: %j', (_title, settings, outFile, errorFile, logFile) => {
    const app = parseAppSpec({ name: 'app', script: '/srv/app.js', cwd: '/srv', instances: 2, ...settings });
    expect(logFiles(app, 1, '/logs')).toEqual({ outFile, errorFile, ...(logFile !== undefined && { logFile }) });
    expect(lineFormatOf(app)).toEqual(logFile === undefined ? undefined : unchanged);
    expect(lineFormatOf({ ...app, logPrefix: true })).toEqual({ ...unchanged, prefix: true });
  });

  it('gets no copies if the home belongs to another user', () => {
    const files = { outFile: '/out', logFile: '/all' };
    const app = parseAppSpec({ name: 'app', script: '/srv/app.js', cwd: '/srv', ...files });
    expect(logFilesElsewhere(app, 0)).toEqual({ outFile: '/out', errorFile: '/all' });
  });
});
