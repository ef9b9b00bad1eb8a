// Which files nsv writes for its apps, whatever links lead to them.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OwnFiles } from '../../../../src/daemon/triggers/watch/own-files.ts';
import { directoryForEach } from '../../../helpers/directory.ts';

const at = directoryForEach();

function ownFilesOf(...written: string[]): OwnFiles {
  return new OwnFiles(at('home'), () => written.map((path) => at(path)));
}

it('the home belongs to nsv, also through a link', () => {
  mkdirSync(at('real'));
  symlinkSync('real', at('home'));
  const own = ownFilesOf();
  expect([at('real'), at('real', 'logs', 'x'), at('real.js')].map((path) => own.has(path))).toEqual([
    true,
    true,
    false,
  ]);
});

it.each<[path: string, isOwn: boolean]>([
  ['logs/web.log', true],
  ['logs/web.log.2026-11-21T18-20-05-123Z', true],
  ['logs/web.log.2026-11-21T18-20-05-123Z.part', true],
  ['logs/web.log.2026-11-21T18-20-05-123Z.gz.part', true],
  ['logs/web.log.2026-11-21T18-20-05-123Z.gz', true],
  ['logs/web.log.1', true],
  ['logs/web.pid', true],
  ['logs/web.pid.4242', true],
  ['logs/other.log', false],
  ['logs/web.log.js', false],
  ['web.log', false],
])('%s belongs to nsv: %s', (path, isOwn) => {
  expect(ownFilesOf('logs/web.log', 'logs/web.pid').has(at(path))).toBe(isOwn);
});

it('files belong to nsv through links to their directory and to themselves', () => {
  mkdirSync(at('var'));
  writeFileSync(at('var', 'error'), '');
  symlinkSync('var', at('logs'));
  symlinkSync('error', at('var', 'error.log'));
  const own = ownFilesOf('logs/out.log', 'logs/error.log');
  expect(['var/out.log', 'var/error.log', 'var/error'].map((path) => own.has(at(path)))).toEqual([true, true, true]);
});

it('the files of an app belong to nsv from its start on, also once it is removed', () => {
  const written = [at('a.pid')];
  const own = new OwnFiles(at('home'), () => written);
  expect([own.has(at('a.pid')), own.has(at('b.log'))]).toEqual([true, false]);
  written[0] = at('b.log');
  own.expire();
  expect([own.has(at('a.pid')), own.has(at('b.log'))]).toEqual([true, true]);
});
