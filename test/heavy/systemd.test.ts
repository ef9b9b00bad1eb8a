// The unit that `nsv startup` writes, under a systemd that lives.
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProcessView } from '../../src/ipc/views.ts';
import { eventually } from '../helpers/eventually.ts';
import { ask, freePort } from '../helpers/http.ts';
import { Machine, type MachineUser, whyNoMachine } from '../helpers/machine.ts';
import { procFile } from '../helpers/proc.ts';

/**
 * Serves its pid, and writes down what happens to it. It is ready once the file `gate` exists. After it was asked to stop it
 * takes as long as the file `tardy` says.
 */
const web = `
const { appendFileSync, existsSync, readFileSync } = require('node:fs');
const note = (word) => appendFileSync(__dirname + '/notes', word + '\\n');
const tardy = __dirname + '/tardy';
const server = require('node:http').createServer((_, answer) => answer.end(String(process.pid)));
process.on('SIGTERM', () => {
  note('asked');
  setTimeout(() => (note('done'), process.exit(0)), existsSync(tardy) ? Number(readFileSync(tardy, 'utf8')) : 0);
});
note('begun');
const timer = setInterval(() => {
  if (!existsSync(__dirname + '/gate')) return;
  clearInterval(timer);
  server.listen(Number(process.env.PORT), () => process.send('ready'));
}, 5);
`;

/** Has a child, and writes lines for the formatter. */
const family = '#!/bin/sh\nsleep 600 &\necho hello\nwait\n';

describe.skipIf((await whyNoMachine()) !== undefined).each(['root', 'web'])(
  'a systemd service of the user %s',
  (name) => {
    const unit = `nsv-${name}.service`;
    let machine: Machine;
    let user: MachineUser;
    let port: number;
    /** Where the test finds a file of the apps. */
    const at = (file: string) => machine.at(user.directory, 'apps', file);
    const systemctl = (...words: string[]) => machine.systemctl(...words);
    const property = (key: string) => machine.show(unit, key);

    function notes(): string[] {
      return existsSync(at('notes')) ? readFileSync(at('notes'), 'utf8').trim().split('\n').sort() : [];
    }

    /** Runs `nsv` as the user, as from a shell of theirs. */
    function run(...words: string[]) {
      const env = { NSV_HOME: join(user.directory, '.nsv'), PORT: String(port) };
      return machine.run([process.execPath, machine.nsv, ...words], { user, env });
    }

    async function nsv(...words: string[]): Promise<string> {
      const { code, stdout, stderr } = await run(...words);
      if (code !== 0) throw new Error(`nsv ${words.join(' ')} ended with ${code}\n${stdout}${stderr}`);
      return stdout;
    }

    const list = async () => JSON.parse(await nsv('list', '--json')) as ProcessView[];

    async function pidsOf(app: string): Promise<(number | null)[]> {
      return (await list()).filter((view) => view.name === app).map(({ pid }) => pid);
    }

    async function succeeds(...words: string[]): Promise<void> {
      const { code, stderr } = await systemctl(...words);
      expect([code, stderr]).toEqual([0, '']);
    }

    /** Sends one request after the other until `act` is done; none may fail. */
    async function whileServing(act: () => Promise<unknown>): Promise<void> {
      let isDone = false;
      const requests = (async () => {
        while (!isDone) expect(await ask(port)).toMatchObject({ ok: true });
      })();
      try {
        await act();
      } finally {
        isDone = true;
        await requests;
      }
    }

    function own(...files: string[]): void {
      const inside = files.flatMap((file) =>
        readdirSync(file, { recursive: true }).map((name) => join(file, String(name))),
      );
      for (const file of [...files, ...inside]) chownSync(file, user.uid, user.uid);
    }

    beforeEach(async () => {
      machine = new Machine();
      user = machine.user(name);
      if (name !== 'root') machine.user('root');
      port = await freePort();
      mkdirSync(at(''));
      for (const [file, source] of Object.entries({ 'web.js': web, 'family.sh': family, gate: '' }))
        writeFileSync(at(file), source, { mode: 0o755 });
      own(at(''));
      await machine.boot();
      const words = ['startup', 'systemd', '--user', name, '--install'];
      expect(await machine.run([process.execPath, machine.nsv, ...words])).toMatchObject({ code: 0 });
      await succeeds('start', unit);
      await nsv('start', join(user.directory, 'apps', 'web.js'), '--name', 'web', '-i', '2', '--wait-ready');
      await nsv('save');
    });

    afterEach(async () => expect(await machine.dispose()).toEqual([]));

    it('asks the apps to stop at shutdown, and holds up the boot until the saved apps are ready', async () => {
      await nsv('start', '/bin/sleep', '--name', 'unsaved', '--no-wait', '--', '600');
      await machine.powerOff();
      expect(notes()).toEqual(['asked', 'asked', 'begun', 'begun', 'done', 'done']);

      for (const file of ['gate', 'notes']) rmSync(at(file));
      await machine.boot();
      await eventually(() => notes().length === 2);
      expect([await property('ActiveState'), await property('SubState')]).toEqual(['activating', 'start']);
      expect(await machine.show('multi-user.target', 'ActiveState')).toBe('inactive');
      writeFileSync(at('gate'), '');
      await eventually(async () => (await property('ActiveState')) === 'active');
      expect(await property('StatusText')).toBe('apps: 1');
      expect((await list()).map((view) => [view.name, view.status])).toEqual([
        ['web', 'online'],
        ['web', 'online'],
      ]);
      await eventually(async () => (await machine.show('multi-user.target', 'ActiveState')) === 'active');
    });

    it('runs the daemon and the apps as that user, with the PATH and home of the unit', async () => {
      const id = (pid: number) => /^Uid:\s+(\d+)/m.exec(procFile(pid, 'status') ?? '')?.[1];
      const pids = machine.processesOf(unit);
      expect(pids.length).toBeGreaterThanOrEqual(3);
      expect(pids.map(id)).toEqual(pids.map(() => String(user.uid)));
      expect(await nsv('doctor')).toContain('nsv');
    });

    it('restarts the daemon when it dies, while the apps keep running', async () => {
      const before = await list();
      const daemon = await property('MainPID');
      await whileServing(async () => {
        await succeeds('kill', '--kill-whom=main', '--signal=KILL', unit);
        await eventually(async () => (await property('NRestarts')) === '1');
        await eventually(async () => (await property('ActiveState')) === 'active');
      });
      const pids = ({ name, pid, status, restarts }: ProcessView) => ({ name, pid, status, restarts });
      expect((await list()).map(pids)).toEqual(before.map(pids));
      expect(await property('MainPID')).not.toBe(daemon);
      expect(notes()).toEqual(['begun', 'begun']);
      await succeeds('stop', unit);
      expect(machine.processesOf(unit)).toEqual([]);
    });

    it('stops every app gracefully, and leaves no process behind', async () => {
      await nsv('start', join(user.directory, 'apps', 'family.sh'), '--name', 'family', '--time', '--no-wait');
      await nsv('scale', 'web', '1');
      await succeeds('stop', unit);
      expect(machine.processesOf(unit)).toEqual([]);
      const keys = ['ActiveState', 'Result', 'ExecMainStatus', 'NRestarts'];
      expect(await Promise.all(keys.map(property))).toEqual(['inactive', 'success', '0', '0']);
      expect(notes()).toEqual(['asked', 'asked', 'begun', 'begun', 'done', 'done']);
    });

    it('extends the stop timeout of the unit for an app that takes longer', async () => {
      mkdirSync(machine.at(`/etc/systemd/system/${unit}.d`));
      writeFileSync(machine.at(`/etc/systemd/system/${unit}.d/short.conf`), '[Service]\nTimeoutStopSec=2\n');
      await succeeds('daemon-reload');
      await nsv('delete', 'web');
      writeFileSync(at('tardy'), '4000');
      const words = ['--name', 'web', '--wait-ready', '--kill-timeout', '20s'];
      await nsv('start', join(user.directory, 'apps', 'web.js'), ...words);
      await succeeds('stop', unit);
      expect(notes().filter((word) => word === 'done')).toHaveLength(3);
      expect([await property('Result'), machine.processesOf(unit)]).toEqual(['success', []]);
    });

    it('restarts as a whole: saved apps come back as new processes', async () => {
      const before = await pidsOf('web');
      const daemon = await property('MainPID');
      await succeeds('restart', unit);
      const after = await pidsOf('web');
      expect(after).toHaveLength(2);
      expect(after.filter((pid) => before.includes(pid))).toEqual([]);
      expect(await property('MainPID')).not.toBe(daemon);
      expect(await ask(port)).toMatchObject({ ok: true });
    });

    it('finishes a reload once every app has reloaded, without losing a request', async () => {
      const before = await pidsOf('web');
      const daemon = await property('MainPID');
      await whileServing(() => succeeds('reload', unit));
      const after = await pidsOf('web');
      expect(after).toHaveLength(2);
      expect(after.filter((pid) => before.includes(pid))).toEqual([]);
      expect([await property('ActiveState'), await property('MainPID')]).toEqual(['active', daemon]);
    });

    it('reports a failed reload, and keeps the old processes serving', async () => {
      const before = await pidsOf('web');
      writeFileSync(at('web.js'), 'process.exit(1)\n');
      await whileServing(async () => expect((await systemctl('reload', unit)).code).not.toBe(0));
      expect(await pidsOf('web')).toEqual(before);
      expect(await property('ActiveState')).toBe('active');
    });

    it('reloads every app on SIGHUP', async () => {
      const before = await pidsOf('web');
      await succeeds('kill', '--kill-whom=main', '--signal=HUP', unit);
      await eventually(async () => {
        const views = await list();
        return views.length === 2 && views.every(({ pid, status }) => !before.includes(pid) && status === 'online');
      });
      expect(await property('ActiveState')).toBe('active');
    });

    it('restarts to update the daemon, while the apps keep running', async () => {
      const before = await pidsOf('web');
      const daemon = await property('MainPID');
      await whileServing(() => nsv('update', '--no-reload'));
      expect(await property('MainPID')).not.toBe(daemon);
      expect([await property('ActiveState'), await pidsOf('web')]).toEqual(['active', before]);
    });

    it('ends with "nsv kill", and is not restarted', async () => {
      await nsv('kill');
      await eventually(async () => (await property('ActiveState')) === 'inactive');
      expect([await property('Result'), await property('NRestarts')]).toEqual(['success', '0']);
      expect(machine.processesOf(unit)).toEqual([]);
    });

    it('fails without retries when another daemon uses the home', async () => {
      await nsv('kill');
      await eventually(async () => (await property('ActiveState')) === 'inactive');
      await nsv('resurrect');
      expect((await systemctl('start', unit)).code).not.toBe(0);
      expect([await property('ExecMainStatus'), await property('NRestarts')]).toEqual(['4', '0']);
      expect(await pidsOf('web')).toHaveLength(2);
    });
  },
);
