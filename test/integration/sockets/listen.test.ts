import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { freePort } from '../../helpers/http.ts';
import { fixture } from '../../helpers/launched.ts';
import { socketStage, workerNode } from '../../helpers/socket-stage.ts';
import { variants } from '../../helpers/variants.ts';

const stage = socketStage();

const forms = [
  'port',
  'text port',
  'host',
  'host and backlog',
  'host name',
  'options',
  'ipv6 only',
  'a path',
  'a relative path',
  'a path for all',
  'no arguments',
  'a dozen servers',
  'a channel let go',
  'a context of its own',
  'exclusive',
  'a handle',
  'a descriptor',
];
const mistakes = [
  'no such host',
  'an address of others',
  'a missing directory',
  'a stale file',
  'a port twice',
  'a bad port',
  'a bad object',
  'a bad kind',
  'listening twice',
];
const ends = [
  'an abort signal',
  'an abort at once',
  'close at once',
  'close, then listen again',
  'listen again in the end',
  'close twice',
  'unref',
  'unref before',
  'disposal',
];

const core = ['port', 'a path', 'no such host', 'an abort signal'];
const others = [...forms, ...mistakes, ...ends].filter((form) => !core.includes(form));

describe.each(['kernel', 'rr'] as const)('an app that listens, the %s way', (schedule) => {
  variants([...core, ...others], core.length)('sees what it would see under plain Node: %s', async (form) => {
    const args = [form, await freePort(), mkdtempSync(stage.path('cwd-'))];
    const plain = await underPlainNode(args);
    const app = stage.group({ schedule }).start('listens.cjs', args);
    expect(await app.ended).toEqual({ code: 0, signal: null });
    expect(app.output()).toEqual(plain);
  });
});

function underPlainNode(args: unknown[]): Promise<string> {
  const words = args.map((arg) => JSON.stringify(arg));
  return new Promise((resolve, reject) => {
    execFile(workerNode, [fixture('listens.cjs'), ...words], (error, stdout, stderr) =>
      error ? reject(error) : resolve(stdout + stderr),
    );
  });
}
