// Apps of many kinds, as they are started from a shell.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { answersOf, ask, bodies, freePort } from '../../helpers/http.ts';
import { hello, homeForEach, root, written } from '../../helpers/nsv.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();

describe('the environment of an app', () => {
  it('is that of the shell that started it plus only the documented variables', async () => {
    const out = join(nsv.directory, 'env.json');
    const app = nsv.script(
      'env.cjs',
      `require('fs').writeFileSync(${JSON.stringify(out)}, JSON.stringify(process.env) + '\\n'); setInterval(() => {}, 1000);`,
    );
    const started = await nsv.runWith({ env: { MINE: 'yes' } }, 'start', app, '--name', 'web');
    expect(started).toMatchObject({ code: 0, stderr: '' });
    const { NSV_APP, NSV_ID, NSV_INSTANCE, NODE_APP_INSTANCE, pm_id, name, ...rest } = JSON.parse(await written(out));
    expect({ NSV_APP, NSV_ID, NSV_INSTANCE, NODE_APP_INSTANCE, pm_id, name }).toEqual({
      NSV_APP: 'web',
      NSV_ID: '0',
      NSV_INSTANCE: '0',
      NODE_APP_INSTANCE: '0',
      pm_id: '0',
      name: 'web',
    });
    expect(rest).toMatchObject({ MINE: 'yes', NSV_HOME: nsv.home, NSV_TREE: expect.stringMatching(/^[\da-f]{32}$/) });
    const known = new Set([...Object.keys(process.env), 'MINE', 'NSV_HOME', 'NSV_TREE', 'PWD', 'OLDPWD', 'SHLVL', '_']);
    expect(Object.keys(rest).filter((key) => !known.has(key))).toEqual([]);
  });

  it('lacks variables that --filter-env names, and changes only with --update-env', { tags: 'full' }, async () => {
    const out = join(nsv.directory, 'seen');
    const app = nsv.script('seen.sh', `#!/bin/sh\necho "$SECRET_A-$PLAIN" > ${out}\nexec sleep 600\n`);
    await nsv.runWith({ env: { SECRET_A: 'a', PLAIN: 'b' } }, 'start', app, '--filter-env', 'SECRET_');
    expect(await written(out)).toBe('-b\n');
    await nsv.runWith({ env: { PLAIN: 'c' } }, 'restart', 'seen');
    expect(readFileSync(out, 'utf8')).toBe('-b\n');
    await nsv.runWith({ env: { PLAIN: 'c' } }, 'restart', 'seen', '--update-env');
    expect(readFileSync(out, 'utf8')).toBe('-c\n');
  });
});

describe('a program that runs under plain node', () => {
  it('sees the same arguments, main module and listeners under nsv', async () => {
    const out = join(nsv.directory, 'self');
    const app = nsv.script(
      'self.cjs',
      `require('fs').writeFileSync(${JSON.stringify(out)}, JSON.stringify([process.argv.slice(1), process.execArgv, require.main === module, process.listenerCount('message'), process.listenerCount('uncaughtException')]) + '\\n');`,
    );
    await nsv.ok('start', app, '--no-autorestart', '--node-args', '--stack-trace-limit=7', '--', 'a', 'b c');
    expect(JSON.parse(await written(out))).toEqual([[app, 'a', 'b c'], ['--stack-trace-limit=7'], true, 0, 0]);
  });

  it('ends with its own exit code on an unhandled rejection', async () => {
    const app = nsv.script('rejects.mjs', `Promise.reject(new Error('nobody cares'));`);
    const { stderr } = await nsv.run('start', app, '--max-restarts', '0');
    expect(stderr).toContain('nobody cares');
    expect(await nsv.list()).toMatchObject([{ lastExit: { code: 1, signal: null } }]);
  });
});

describe('start', () => {
  it.each([
    {
      kind: 'a Python file',
      name: 'app.py',
      source: 'import time\nprint("py", flush=True)\ntime.sleep(600)\n',
      prints: 'py',
    },
    { kind: 'a shell script', name: 'app.sh', source: 'echo shell\nexec sleep 600\n', prints: 'shell' },
    {
      kind: 'a script by its shebang',
      name: 'app',
      source: '#!/usr/bin/env node\nconsole.log("node");setInterval(()=>{},1e3)',
      prints: 'node',
    },
  ])('runs $kind', { tags: 'full' }, async ({ name, source, prints }) => {
    await nsv.ok('start', nsv.script(name, source));
    const [view] = await nsv.list();
    expect(await eventually(() => readFileSync(view!.outFile!, 'utf8') || undefined)).toBe(`${prints}\n`);
  });

  it('runs a whole command line, and a program on the PATH', { tags: 'full' }, async () => {
    await nsv.ok('start', 'sleep 600 && true', '--name', 'line');
    await nsv.ok('start', 'sleep', '--name', 'binary', '--', '600');
    expect(await nsv.list()).toMatchObject([
      { name: 'line', status: 'online' },
      { name: 'binary', status: 'online' },
    ]);
  });

  it('runs TypeScript where Node can, and names tsx where it cannot', { tags: 'full' }, async () => {
    const app = nsv.script('app.ts', 'const answer: number = 42; console.log(answer); setInterval(() => {}, 1000);');
    const { code, stderr } = await nsv.run('start', app);
    if ('typescript' in process.features && process.features.typescript) expect(code).toBe(0);
    else expect([code, stderr]).toEqual([3, expect.stringContaining('tsx')]);
  });
});

describe('an app in the classic master-worker style', { tags: 'full' }, () => {
  it('gets the bound server by message and runs unchanged', async () => {
    const port = await freePort();
    const app = nsv.script(
      'worker.cjs',
      `const http = require('http').createServer((_, response) => response.end(String(process.pid)));
       process.on('message', (m, server) => { if (m === 'server') server.on('connection', (socket) => http.emit('connection', socket)); });`,
    );
    await nsv.ok('start', app, '-i', '4', '--listen', String(port));
    expect([...(await answersOf(port, 4))].sort()).toEqual((await nsv.list()).map(({ pid }) => String(pid)).sort());
  });
});

describe('a program that is not Node', () => {
  it('reports its readiness by writing a newline to NSV_NOTIFY_FD', async () => {
    const go = join(nsv.directory, 'go');
    const app = nsv.script(
      'slow.sh',
      `#!/bin/sh\nwhile ! [ -e ${go} ]; do sleep 0.02; done\neval "echo >&$NSV_NOTIFY_FD"\nexec sleep 600\n`,
    );
    const started = nsv.run('start', app, '--wait-ready');
    await eventually(async () => (await nsv.list())[0]?.status === 'starting');
    writeFileSync(go, '');
    expect(await started).toMatchObject({ code: 0 });
    expect(await nsv.list()).toMatchObject([{ status: 'online' }]);
  });

  it('is restarted by a reload, with a warning, if it has no socket from nsv', { tags: 'full' }, async () => {
    const port = String(await freePort());
    await nsv.sleeper('alone');
    await nsv.sleeper('heir', '--listen', port);
    const { code, stderr } = await nsv.run('reload', 'all');
    expect([code, stderr]).toEqual([
      0,
      "nsv: alone was down for a moment; to reload without a gap, start the server's own file, or use --listen\n",
    ]);
    const config = nsv.script(
      'nsv.config.json',
      '{ "apps": [{ "name": "alone", "script": "/bin/sleep", "args": "600" }] }',
    );
    expect((await nsv.run('reload', config)).stderr).toContain('alone was down for a moment');
  });
});

describe('a Python program', () => {
  it('inherits the socket that nsv has bound, as in systemd socket activation', { tags: 'full' }, async () => {
    const port = await freePort();
    const app = nsv.script(
      'serve.py',
      `import os, socket
assert os.environ['LISTEN_PID'] == str(os.getpid()) and os.environ['LISTEN_FDS'] == '1'
server = socket.socket(fileno=3)
while True:
    client, _ = server.accept()
    client.recv(4096)
    body = str(os.getpid())
    client.sendall(('HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\nConnection: close\\r\\n\\r\\n%s' % (len(body), body)).encode())
    client.close()
`,
    );
    await nsv.ok('start', app, '-i', '2', '--listen', String(port));
    const pids = (await nsv.list()).map(({ pid }) => String(pid));
    expect(pids).toContain((await bodies(port, 1))[0]);
    await nsv.ok('stop', 'serve');
    expect(await ask(port)).toEqual({ ok: false, why: 'ECONNREFUSED' });
  });
});

describe('a framework', () => {
  variants([
    {
      name: 'Express',
      source: (port: number) =>
        `require('express')().get('/', (_, response) => response.send('express')).listen(${port});`,
    },
    {
      name: 'Fastify',
      source: (port: number) =>
        `const app = require('fastify')(); app.get('/', async () => 'fastify'); app.listen({ port: ${port}, host: '127.0.0.1' });`,
    },
  ])('runs unmodified on several processes: $name', async ({ name, source }) => {
    const port = await freePort();
    const app = nsv.script(
      'framework.cjs',
      source(port).replace(/require\('(\w+)'\)/, `require('${root}/node_modules/$1')`),
    );
    await nsv.ok('start', app, '-i', '2');
    expect(await bodies(port, 8)).toEqual(Array(8).fill(name.toLowerCase()));
    await nsv.ok('reload', 'framework');
    expect((await ask(port)).ok).toBe(true);
  });
});

describe('the saved list', () => {
  it('restores the same apps in order, stopped ones as stopped, and none of them twice', async () => {
    const port = String(await freePort());
    await nsv.ok('start', hello, '-i', '2', '--', port);
    await nsv.sleeper('idle');
    await nsv.sleeper('busy');
    await nsv.ok('stop', 'idle');
    await nsv.ok('save');
    await nsv.ok('kill');
    await nsv.ok('resurrect');
    const expected = [
      ['hello', 'online'],
      ['hello', 'online'],
      ['idle', 'stopped'],
      ['busy', 'online'],
    ];
    const now = await nsv.list();
    expect(now.map(({ name, status }) => [name, status])).toEqual(expected);
    await nsv.ok('resurrect');
    expect(await nsv.pids()).toEqual(now.map(({ pid }) => pid));
    expect((await ask(Number(port))).ok).toBe(true);
  });

  it('is kept under another name if it is corrupt, and the error names the copy', { tags: 'full' }, async () => {
    await nsv.ok('start', '/bin/sleep', '--no-wait', '--', '600');
    writeFileSync(join(nsv.home, 'saved.json'), '{"apps": [');
    const stderr = await nsv.fails(8, 'resurrect');
    const kept = /kept as (\S+)/.exec(stderr)![1]!;
    expect(readFileSync(kept, 'utf8')).toBe('{"apps": [');
  });
});

describe('a process', () => {
  const replaced = (before: number | null) =>
    eventually(async () => {
      const [view] = await nsv.list();
      return view!.pid !== null && view!.pid !== before && view!.status === 'online' && view;
    });

  it('is replaced on the schedule of --cron-restart, which must be valid', { tags: 'full' }, async () => {
    await nsv.ok('start', '/bin/sleep', '--cron-restart', '*/3 * * * * *', '--', '600');
    const [before] = await nsv.list();
    await replaced(before!.pid);
    expect(await nsv.fails(2, 'start', '/bin/sleep', '--name', 'other', '--cron-restart', 'never')).toContain('never');
    expect(await nsv.list()).toHaveLength(1);
  });

  it('runs at the times of --cron-restart, if it is a job or was only added to the list', async () => {
    const runs = (name: string) => readdirSync(nsv.directory).filter((file) => file.startsWith(`${name}-`)).length;
    const script = nsv.script('job.cjs', `require('fs').writeFileSync(process.env.NSV_APP + '-' + process.pid, '')`);
    const job = { script, autorestart: false, cron_restart: '* * * * * *' };
    const rare = { ...job, name: 'rare', autostart: false, cron_restart: '0 0 1 1 *' };
    const apps = [{ ...job, name: 'job' }, { ...job, name: 'added', autostart: false }, rare];
    await nsv.ok('start', nsv.script('nsv.config.json', JSON.stringify({ apps })));
    await eventually(() => runs('job') >= 3 && runs('added') >= 2);
    expect(await nsv.ok('show', 'rare')).toMatch(/status +stopped: runs on its cron schedule/);
    await nsv.ok('stop', 'rare');
    expect(await nsv.ok('show', 'rare')).toMatch(/status +stopped\n/);
  });

  it('is replaced when the memory of its whole tree exceeds --max-memory-restart', { tags: 'full' }, async () => {
    const child = `const hog = Buffer.alloc(150e6, 1); setInterval(() => hog.length, 1000);`;
    const pids = join(nsv.directory, 'pids');
    const app = nsv.script(
      'grows.cjs',
      `const fs = require('fs'); fs.appendFileSync(${JSON.stringify(pids)}, process.pid + '\\n'); if (fs.readFileSync(${JSON.stringify(pids)}, 'utf8') === process.pid + '\\n') require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}]); setInterval(() => {}, 1000);`,
    );
    await nsv.ok('start', app, '--max-memory-restart', '150M');
    const started = () => (existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').map(Number) : []);
    await eventually(() => started().length === 2);
    const after = await eventually(async () => (await nsv.list()).find(({ pid }) => pid === started()[1]));
    expect(after.memory).toBeLessThan(150 * 1024 * 1024);
  });
});
