// The pipe to the thread of a process. The process runs user code, which can write to it too.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StackThread } from '../../../src/daemon/launch/stack-thread.ts';
import { homeForEach } from '../../helpers/nsv.ts';

const place = homeForEach();
let thread: StackThread;
let far: Socket;
let near: Socket;

beforeEach(async () => {
  const server = createServer();
  const path = join(place.directory, 'pipe');
  server.listen(path);
  await once(server, 'listening');
  near = connect(path);
  const [[accepted]] = await Promise.all([once(server, 'connection'), once(near, 'connect')]);
  far = (accepted as Socket).setEncoding('utf8');
  far.on('error', () => {});
  server.close();
  thread = new StackThread(near, 4);
});
afterEach(() => {
  far.destroy();
  near.destroy();
});

const nextText = async () => String((await once(far, 'data'))[0]);

describe('a thread', () => {
  it('gets one line of JSON, and answers with another, possibly in pieces', async () => {
    const answer = thread.evaluate('1 +\n1');
    expect(await nextText()).toBe('"1 +\\n1"\n');
    far.write('{"val');
    await once(near, 'data');
    far.write('ue":2}\n');
    expect(await answer).toBe(2);
  });

  it('evaluates one expression at a time', async () => {
    const first = thread.evaluate('1');
    await expect(thread.evaluate('2')).rejects.toThrow('it is being asked already');
    await nextText();
    far.write('{"value":1}\n');
    expect(await first).toBe(1);
  });

  it('gives no answer once it is gone', async () => {
    const answer = thread.evaluate('1');
    far.destroy();
    expect(await answer).toBe(undefined);
    await expect(thread.evaluate('2')).rejects.toThrow('it has closed the pipe to its thread');
  });

  it.each([
    ['no JSON', 'x\n'],
    ['a line without an end', 'x'.repeat(600 * 1024)],
  ])('is disconnected when it sends %s', async (_what, said) => {
    const answer = thread.evaluate('1');
    await nextText();
    far.write(said);
    expect(await answer).toBe(undefined);
    expect(near.destroyed).toBe(true);
  });

  it('is disconnected when it sends an unrequested answer', async () => {
    far.write('{"value":1}\n');
    await once(near, 'close');
    await expect(thread.evaluate('1')).rejects.toThrow('it has closed the pipe to its thread');
  });

  it.each(['null', '17', '{}', '{"value":{"toString":1}}'])('may answer %s', async (said) => {
    const answer = thread.evaluate('1');
    await nextText();
    far.write(`${said}\n`);
    await answer;
    expect(near.destroyed).toBe(false);
  });
});
