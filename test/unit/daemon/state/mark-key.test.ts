import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyIn, markKeyOf } from '../../../../src/daemon/state/mark-key.ts';

let directory: string;
const file = () => join(directory, 'mark-key');
const never = (error: unknown) => {
  throw error;
};

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'nsv-key-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('the key of the marks', () => {
  it('is made once, for the owner alone, and leaves no draft', () => {
    const key = markKeyOf(file(), never);
    expect(key).toHaveLength(16);
    expect(markKeyOf(file(), never)).toEqual(key);
    expect(keyIn(file())).toEqual(key);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['mark-key']);
  });

  it('is another one in another home', () => {
    expect(markKeyOf(file(), never)).not.toEqual(markKeyOf(`${file()}-2`, never));
  });

  it.each(['', 'x', 'a'.repeat(31)])('is made again where the file is damaged: %j', (text) => {
    writeFileSync(file(), text);
    expect(keyIn(file())).toBeUndefined();
    const key = markKeyOf(file(), never);
    expect(readFileSync(file(), 'latin1')).toBe(`${key.toString('hex')}\n`);
  });

  it('is one for this daemon only where it cannot be kept, which is told', () => {
    const told: unknown[] = [];
    const missing = join(directory, 'missing', 'mark-key');
    expect(markKeyOf(missing, (error) => told.push(error))).toHaveLength(16);
    expect(told).toMatchObject([{ code: 'ENOENT' }]);
    expect(existsSync(missing)).toBe(false);
  });
});
