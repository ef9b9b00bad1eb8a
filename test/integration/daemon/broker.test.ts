// A broker, and programs of its user that only pretend to be apps.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FromBroker } from '../../../src/ipc/broker-messages.ts';
import { dial } from '../../../src/os/socket-file.ts';
import { installed } from '../../../src/shared/paths.ts';
import { eventually } from '../../helpers/eventually.ts';

let directory: string;
let broker: ChildProcess;
let received: FromBroker[];
const address = () => join(directory, 'broker.sock');
const line = (message: object) => `${JSON.stringify({ cmd: 'NODE_NSV', ...message })}\n`;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'nsv-broker-'));
  received = [];
  const stdio = ['pipe', 'ignore', 'inherit', 'ipc'] as const;
  broker = spawn(process.execPath, [installed.broker, address(), String(process.getuid?.())], { stdio: [...stdio] });
  broker.on('message', (message: FromBroker) => received.push(message));
  await eventually(() =>
    dial(address(), 0).then(
      (socket) => socket.destroy(),
      () => undefined,
    ),
  );
});

afterEach(() => {
  broker.kill('SIGKILL');
  rmSync(directory, { recursive: true });
});

describe('a broker', () => {
  it('ends when its input ends, although its channel is open', async () => {
    broker.stdin!.end();
    await eventually(() => broker.exitCode === 0);
  });

  it('ends when its channel ends, although its input is open', async () => {
    broker.disconnect();
    await eventually(() => broker.exitCode === 0);
  });
});

describe('a program that connects to a broker', () => {
  it('may send no more than 4096 bytes before it identifies itself', async () => {
    const socket = connect(address());
    socket.write('x'.repeat(5_000));
    expect(await text(socket)).toContain('longer than 4096 bytes');
    expect(received).toEqual([]);
  });

  it('may send longer messages afterwards', async () => {
    const socket = connect(address());
    const data = 'x'.repeat(100_000);
    socket.write(`${line({ type: 'reconnected', mark: 'mark', pid: 7 })}${JSON.stringify({ type: 'note', data })}\n`);
    await eventually(() => received.length === 2);
    expect(received).toMatchObject([
      { type: 'reconnected', mark: 'mark', pid: 7 },
      { type: 'heard', message: { data } },
    ]);
    socket.destroy();
  });
});
