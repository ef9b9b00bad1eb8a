// Clients that open http2 streams all the time, a long way from a server that drains.
import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { certificate } from '../../helpers/certificate.ts';
import { beginsDrain, bySignal, drain } from '../../helpers/draining.ts';
import { eventually } from '../../helpers/eventually.ts';
import { type FarAway, farAway } from '../../helpers/far-away.ts';
import { endsInTime, heldClock, passes } from '../../helpers/held-clock.ts';
import { freePort } from '../../helpers/http.ts';
import { StreamOpener } from '../../helpers/http2-frames.ts';
import { RawClient } from '../../helpers/raw-client.ts';
import { type App, isAlive, socketStage } from '../../helpers/socket-stage.ts';

const stage = socketStage();
let secrets: string[];
let road: FarAway | undefined;
beforeAll(async () => {
  secrets = await certificate(stage.directory);
});
afterEach(() => road?.close());

async function serving(kind: 'http2' | 'h2'): Promise<App> {
  const port = await freePort();
  const [app] = await stage.group().startAll(1, 'drains.cjs', [kind, port, ...secrets]);
  road = await farAway(port, 40);
  return app!;
}

function connected(scheme: 'http' | 'https'): ClientHttp2Session {
  const session = connect(`${scheme}://127.0.0.1:${road!.port}`, { rejectUnauthorized: false });
  return session.on('error', () => {});
}

/** Opens a stream every few milliseconds until it is told to open no more. */
class Asker {
  readonly answers: string[] = [];
  readonly failures: string[] = [];
  #isOver = false;
  #asked = 0;

  constructor(session: ClientHttp2Session, path: string) {
    const timer = setInterval(() => {
      if (session.closed || session.destroyed) return clearInterval(timer);
      this.#ask(session, path);
    }, 2);
    session.once('goaway', () => {
      clearInterval(timer);
      this.#isOver = true;
    });
  }

  /** Resolves when each has got its answer, or its failure. */
  settled(): Promise<boolean> {
    return eventually(() => this.#isOver && this.answers.length + this.failures.length === this.#asked);
  }

  #ask(session: ClientHttp2Session, path: string): void {
    this.#asked += 1;
    const stream = session.request({ ':path': path });
    text(stream).then(
      (body) => this.answers.push(body),
      () => this.failures.push(`code ${stream.rstCode}`),
    );
  }
}

const emptySettings = '\0\0\0\u0004\0\0\0\0\0';

/** What a client may repeat, for it was not begun. Also what Node's own client has not sent yet when it hears GOAWAY. */
const refused = `code ${constants.NGHTTP2_REFUSED_STREAM}`;

describe('an http2 server that drains', () => {
  it('answers all streams that are opened before its GOAWAY arrives', async () => {
    const app = await serving('http2');
    const client = new StreamOpener(road!.port);
    await app.prints(/asked/);
    app.send(drain);
    await client.over();
    expect({ refused: client.refused, unanswered: client.unanswered }).toEqual({ refused: 0, unanswered: 0 });
    expect([client.lastStreams[0], client.lastStreams.at(-1)]).toEqual([2 ** 31 - 1, 2 * client.answered - 1]);
    expect(await app.ended).toEqual(bySignal);
  });

  it.each([
    ['http2', 'http', '/stream'],
    ['h2', 'https', '/'],
  ] as const)(
    'answers every stream of a %s client, or refuses it as one that was not begun',
    async (kind, scheme, path) => {
      const app = await serving(kind);
      const asker = new Asker(connected(scheme), path);
      await app.prints(/asked/);
      app.send(drain);
      await asker.settled();
      expect(asker.failures.filter((failure) => failure !== refused)).toEqual([]);
      expect(app.output().match(/asked/g)).toHaveLength(asker.answers.length);
      expect(await app.ended).toEqual(bySignal);
    },
  );

  it('waits for a client that does not answer its PING, until that is silent for a second', async () => {
    const port = await freePort();
    const [app] = await stage.group({ env: heldClock }).startAll(1, 'drains.cjs', ['http2', port]);
    const client = await RawClient.open(port);
    client.says(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${emptySettings}`);
    await client.hears(/./s);
    await beginsDrain(app!);
    await passes(app!, 900);
    client.forgets();
    client.says(emptySettings);
    // Acknowledged, and thereby read.
    await client.hears(/./s);
    await passes(app!, 900);
    expect(client.end).toBe('open');
    await passes(app!, 150);
    expect(await client.over()).toBe('ended');
    expect(await endsInTime(app!)).toEqual(bySignal);
  });

  it('answers the first stream of a TLS client that has just connected', async () => {
    const port = await freePort();
    const [app] = await stage.group({ env: heldClock }).startAll(1, 'drains.cjs', ['h2', port, ...secrets]);
    const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false }).on('error', () => {});
    await once(session, 'remoteSettings');
    await beginsDrain(app!);
    await passes(app!, 500);
    expect(await text(session.request({ ':path': '/at-once' }))).toBe(String(app!.pid));
    expect(await endsInTime(app!)).toEqual(bySignal);
  });

  it('does not wait for a client that keeps the connection after the last answer', { tags: 'full' }, async () => {
    const port = await freePort();
    const [app] = await stage.group({ env: heldClock }).startAll(1, 'drains.cjs', ['http2', port]);
    const client = await RawClient.open(port, { staysOpen: true });
    await client.hears(/./s);
    await beginsDrain(app!);
    await passes(app!, 1_000);
    expect(await client.over()).toBe('ended');
    await passes(app!, 2_900);
    expect(isAlive(app!.pid)).toBe(true);
    await passes(app!, 500);
    expect(await app!.ended).toEqual(bySignal);
    client.leaves();
  });
});
