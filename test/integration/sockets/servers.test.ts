import { once } from 'node:events';
import http2 from 'node:http2';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { describe, expect } from 'vitest';
import { certificate } from '../../helpers/certificate.ts';
import { answersOf, freePort } from '../../helpers/http.ts';
import { socketStage } from '../../helpers/socket-stage.ts';
import { variants } from '../../helpers/variants.ts';

const stage = socketStage();

describe('an unmodified app', () => {
  variants(['express.mjs', 'fastify.mjs'])('answers from all its instances with a framework: %s', async (script) => {
    const port = await freePort();
    const apps = await stage.group().startAll(2, script, [port]);
    expect(await answersOf(port, 2)).toEqual(new Set(apps.map(({ pid }) => String(pid))));
  });

  variants(['kernel', 'rr'] as const)('may have its own cluster, the %s way', async (schedule) => {
    const port = await freePort();
    const app = stage.group({ schedule }).start('own-cluster.cjs', [port]);
    const [, ...pids] = await app.prints(/worker (\d+)\nworker (\d+)/);
    expect(await answersOf(port, 2)).toEqual(new Set(pids));
    app.signal('SIGTERM');
    await app.ended;
  });

  variants(['kernel', 'rr'] as const)('speaks https and http2 over shared sockets, the %s way', async (schedule) => {
    const [key, cert] = await certificate(stage.directory);
    const app = stage.group({ schedule }).start('secure.cjs', [key, cert]);
    const port = async (name: string) => Number((await app.prints(new RegExp(`${name} (\\d+)`)))[1]);
    const request = https.get({ port: await port('https'), rejectUnauthorized: false });
    const [response] = await once(request, 'response');
    expect(await text(response)).toBe('https');
    const session = http2.connect(`https://127.0.0.1:${await port('http2')}`, { rejectUnauthorized: false });
    expect(await text(session.request({ ':path': '/' }))).toBe('http2');
    session.close();
  });
});
