// Short commands with the rights of another user.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { shellAs } from '../../../src/privileges/privileges.ts';
import { attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';

const nobody = attackerForEach();
const owner = () => ({ uid: String(nobody.uid), gid: undefined });

describe.skipIf(whyNoOtherUser)('a command run as another user', () => {
  it('gets its arguments unchanged, and a bare environment', async () => {
    const words = ['$(id)', '-n', "it's"];
    await shellAs(owner(), 'printf "%s\\n" "$2" "$3" "$4" >"$1"; env >>"$1"; id -u >>"$1"', [
      nobody.at('said'),
      ...words,
    ]);
    const said = readFileSync(nobody.at('said'), 'utf8').trim().split('\n');
    expect(said.slice(0, 3)).toEqual(words);
    expect(said.at(-1)).toBe(String(nobody.uid));
    const names = said.slice(3, -1).map((line) => line.split('=')[0]!);
    expect(names).toContain('PATH');
    expect(names.filter((name) => ['HOME', 'USER', 'NSV_HOME'].includes(name))).toEqual([]);
  });

  it('rejects with the last line of its errors, or its exit code', async () => {
    const secret = nobody.secret();
    await expect(shellAs(owner(), ': >"$1"', [secret])).rejects.toThrow('Permission denied');
    await expect(shellAs(owner(), 'exit 3', [])).rejects.toThrow('exit code 3');
    expect(readFileSync(secret, 'utf8')).toBe('secret of root\n');
  });
});
