import { describe, expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import { lineFormatOf } from '../../../../src/config/logs.ts';
import { logFiles, logFilesElsewhere } from '../../../../src/daemon/output/files.ts';

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

describe('the common file', () => {
  it.each<[string, object, object]>([
    ['does not exist unless it is requested', {}, { out: `${inHome}out.log`, err: `${inHome}err.log` }],
    ['is the only one if no other is named', { logFile: '/all' }, { out: '/all', err: '/all' }],
    [
      'gets a copy of standard error with its own file',
      { errorFile: '/err', logFile: '/all' },
      { out: '/all', err: '/err-1', copy: '/all' },
    ],
    [
      'gets a copy of standard output, too',
      { outFile: '/out', logFile: '/all' },
      { out: '/out-1', err: '/all', copy: '/all' },
    ],
    [
      'gets a copy of both',
      { outFile: '/out', errorFile: '/err', logFile: '/all.log' },
      { out: '/out-1', err: '/err-1', copy: '/all.log' },
    ],
    [
      'is shared by all instances, as are the others with --merge-logs',
      { outFile: '/out', errorFile: '/out', logFile: '/all', mergeLogs: true },
      { out: '/out', err: '/out', copy: '/all' },
    ],
    [
      'is the only one beside /dev/null',
      { outFile: '/dev/null', errorFile: '/dev/null', logFile: '/all' },
      { out: '/all', err: '/all' },
    ],
    ['is the only one if the others are the same', { outFile: '/all', logFile: '/all' }, { out: '/all', err: '/all' }],
    ['is no copy in /dev/null', { outFile: '/out', logFile: '/dev/null' }, { out: '/out-1', err: '/dev/null' }],
    ['discards all in /dev/null alone', { logFile: '/dev/null' }, { out: '/dev/null', err: '/dev/null' }],
  ])('%s: %j', (_title, settings, { out, err, copy }: { out?: string; err?: string; copy?: string }) => {
    const app = parseAppSpec({ name: 'app', script: '/srv/app.js', cwd: '/srv', instances: 2, ...settings });
    const files = { outFile: out, errorFile: err, ...(copy !== undefined && { logFile: copy }) };
    expect(logFiles(app, 1, '/logs')).toEqual(files);
    expect(lineFormatOf(app)).toEqual(copy === undefined ? undefined : unchanged);
    expect(lineFormatOf({ ...app, logPrefix: true })).toEqual({ ...unchanged, prefix: true });
  });

  it('gets no copies if the home belongs to another user', () => {
    const files = { outFile: '/out', logFile: '/all' };
    const app = parseAppSpec({ name: 'app', script: '/srv/app.js', cwd: '/srv', ...files });
    expect(logFilesElsewhere(app, 0)).toEqual({ outFile: '/out', errorFile: '/all' });
  });
});
