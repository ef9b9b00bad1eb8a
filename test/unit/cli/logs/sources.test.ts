import { describe, expect, it } from 'vitest';
import { logSources, pathsOf } from '../../../../src/cli/logs/sources.ts';
import type { LogFilesView } from '../../../../src/ipc/views.ts';

const app = (name: string, outFile: string | null, errorFile: string | null, logFile?: string): LogFilesView => ({
  id: 0,
  name,
  slot: 0,
  outFile,
  errorFile,
  ...(logFile !== undefined && { logFile }),
});

const trio = app('a', '/out', '/err', '/all');
const withErrors = app('a', '/all', '/err', '/all');
const alone = app('b', '/all', '/all');
const run = app('c', null, null);

describe('no line is read twice', () => {
  it.each<[string, LogFilesView[], ('out' | 'err')[], string[]]>([
    ['the copies are not read', [trio], ['out', 'err'], ['/out of a', '/err of a']],
    ['nor beside an app without files', [run, trio], ['out', 'err'], ['/out of a', '/err of a']],
    ['the common file has all if an output has no other', [withErrors], ['out', 'err'], ['/all of a']],
    ['the errors alone are in their own file', [withErrors], ['err'], ['/err of a']],
    ['another app writes to the common file only', [trio, alone], ['out', 'err'], ['/all of a,b']],
  ])('%s', (_title, views, streams, expected) => {
    expect(logSources(views, streams).map(({ file, name }) => `${file} of ${name}`)).toEqual(expected);
  });
});

it('filesOf lists every log file once, including the common one', () => {
  expect(pathsOf([run, trio, trio])).toEqual(['/out', '/err', '/all']);
});
