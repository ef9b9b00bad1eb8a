import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import { decodeState, encodeRecord, encodeState, encodeStateOf } from '../../../../src/daemon/state/codec.ts';
import { groupRecord, processRecord, snapshot } from '../../../helpers/records.ts';

const whole = snapshot();
const bytes = encodeState(whole);

function problemOf(broken: Buffer): string {
  try {
    decodeState(broken);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

/** The same content under another first line. */
function under(header: Record<string, unknown>): Buffer {
  const [first = ''] = bytes.toString().split('\n');
  const body = bytes.subarray(first.length + 1);
  return Buffer.concat([Buffer.from(`${JSON.stringify({ ...JSON.parse(first), ...header })}\n`), body]);
}

const env = { SHELL: '/bin/sh', 'with "quotes"': 'ü' };
const appWith = (name: string, own: Record<string, string>) =>
  groupRecord([processRecord(1)], {
    spec: parseAppSpec({ name, script: '/app.js', cwd: '/', node: true, instances: 1, env: own }),
  });

describe('a state', () => {
  it('is read as it was written', () => {
    expect(decodeState(bytes)).toEqual({ snapshot: JSON.parse(JSON.stringify(whole)), invalid: [] });
  });

  it('has an environment that apps share only once', () => {
    const groups = [appWith('web', env), appWith('api', { ...env }), appWith('db', { SHELL: '/bin/dash' })];
    const shared = encodeState(snapshot({ groups }));
    expect(shared.toString().split('/bin/sh')).toHaveLength(2);
    const { snapshot: read } = decodeState(shared);
    expect(read.groups.map(({ spec }) => spec.env)).toEqual([env, env, { SHELL: '/bin/dash' }]);
    expect(read.groups[1]?.spec.env).toBe(read.groups[0]?.spec.env);
  });

  it('sets aside an app whose environment is missing', () => {
    const { groups: _, ...rest } = snapshot();
    const [web, api] = [encodeRecord(appWith('web', env)), encodeRecord(appWith('api', env))];
    const broken = Buffer.from(api.json.toString().replace(/"env":"\d+"/, '"env":"none"'));
    const { snapshot: read, invalid } = decodeState(encodeStateOf(rest, [web, { ...api, json: broken }]));
    expect(read.groups.map(({ spec }) => spec.name)).toEqual(['web']);
    expect(invalid).toMatchObject([{ name: 'api', problem: expect.stringContaining('must be an object of strings') }]);
  });

  it('is rejected if any single bit is changed', () => {
    for (let at = 0; at < bytes.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const broken = Buffer.from(bytes);
        broken[at] = (broken[at] as number) ^ (1 << bit);
        expect(problemOf(broken), `byte ${at}, bit ${bit}`).not.toBe('');
      }
    }
  });

  it('is rejected if it is cut at any length', () => {
    for (let length = 0; length < bytes.length; length += 1) {
      expect(problemOf(bytes.subarray(0, length)), `${length} bytes`).not.toBe('');
    }
  });

  it('may be followed by blanks', () => {
    expect(problemOf(Buffer.concat([bytes, Buffer.alloc(1_000, ' ')]))).toBe('');
  });

  it.each([
    [Buffer.alloc(0), 'the file is empty'],
    [Buffer.from('{}\n'), 'not a state file of nsv'],
    [Buffer.from('null\nnull\n'), 'not a state file of nsv'],
    [Buffer.alloc(5_000, 'x'), 'not a state file of nsv'],
    [under({ version: 1 }), 'format version 1 is not supported (this nsv reads 2)'],
    [under({ length: 1 }), /^\d+ bytes instead of 1$/],
    [under({ checksum: 1 }), 'checksum mismatch'],
    [Buffer.concat([bytes, Buffer.from('x')]), /^\d+ bytes instead of \d+$/],
  ])('is rejected with the reason', (broken, problem) => {
    expect(problemOf(broken)).toMatch(problem);
  });

  it.each([
    { groups: 'none' },
    { origin: null },
    { origin: { ...whole.origin, uid: '0' } },
    { sequence: '1' },
    { sequence: -1 },
    { lastId: null },
    { lastId: 0.5 },
  ])('is rejected if it has an invalid field: %j', (rest) => {
    const body = `${JSON.stringify({ ...whole, ...rest })}\n`;
    const header = { format: 'nsv-state', version: 2, length: body.length, checksum: crc32(body) };
    expect(problemOf(Buffer.from(`${JSON.stringify(header)}\n${body}`))).toMatch(/^invalid content: /);
  });
});
