// An app that depends on another one which comes up late, and again after a crash, the death of the daemon and a boot.
// @module-tag full
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { fixture, homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();

const gate = () => join(nsv.directory, 'gate');
const lets = () => writeFileSync(gate(), '');
const viewOf = async (name: string) => (await nsv.list(name))[0]!;
const isIn = (name: string, status: string) => eventually(async () => (await viewOf(name)).status === status);
const crash = async (name: string) => process.kill((await viewOf(name)).pid!, 'SIGKILL');

function configFile(): string {
  const db = { name: 'db', script: fixture('ready-late.cjs'), args: [gate()], wait_ready: true };
  const web = { name: 'web', script: '/bin/sleep', args: ['600'], depends_on: 'db' };
  const file = join(nsv.directory, 'nsv.config.json');
  writeFileSync(file, JSON.stringify({ apps: [web, db] }));
  return file;
}

it('an app starts only while the app that it depends on is ready', async () => {
  const started = nsv.ok('start', configFile());
  await eventually(async () => (await nsv.list()).length === 1);
  expect((await nsv.list()).map(({ name }) => name)).toEqual(['db']);
  lets();
  await started;

  await crash('db');
  await isIn('db', 'starting');
  await crash('web');
  await isIn('web', 'held');
  expect(await viewOf('web')).toMatchObject({ pid: null, restarts: 1, waitsFor: ['db'] });
  expect(await nsv.ok('list')).toContain('held by db');
  expect(await nsv.ok('show', 'web')).toMatch(/status +held: waits until db is ready/);

  await nsv.replaceDaemon();
  await isIn('web', 'held');
  lets();
  await isIn('web', 'online');
  expect(await viewOf('web')).toMatchObject({ restarts: 1 });

  // As at a boot: nothing runs, and nobody knows what ran, but for the list.
  await nsv.ok('save');
  await nsv.ok('kill');
  const woken = nsv.ok('resurrect');
  await eventually(async () => (await nsv.answers()) && (await nsv.list('db'))[0]?.status === 'starting');
  await isIn('web', 'held');
  lets();
  await woken;
  expect(await viewOf('web')).toMatchObject({ status: 'online', restarts: 0 });
});
