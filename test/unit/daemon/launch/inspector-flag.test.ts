// Which programs are started with the flag that lets nsv look into them while they are blocked.
import { describe, expect, it } from 'vitest';
import { commandOf } from '../../../../src/daemon/launch/command.ts';
import { attachFlag } from '../../../../src/ipc/worker-messages.ts';

const settings = {
  node: true,
  interpreter: '/bin/node',
  interpreterArgs: [],
  script: '/app.js',
  args: [],
  env: {},
  preload: '/preload.js',
};
const isFlagged = (changes: Partial<Parameters<typeof commandOf>[0]>, attachable = true) =>
  commandOf({ ...settings, ...changes }, attachable).includes(attachFlag);

describe('the flag for the inspector', () => {
  it('comes right after the preload, which hides both', () => {
    expect(commandOf({ ...settings, interpreterArgs: ['--no-warnings'] }, true)).toEqual([
      ...['/bin/node', '--require', '/preload.js', attachFlag, '--no-warnings', '/app.js'],
    ]);
  });

  it('is left out if inspection is off or the program is not Node', () => {
    expect(isFlagged({}, false)).toBe(false);
    expect(isFlagged({ node: false })).toBe(false);
  });

  it.each(['--inspect', '--inspect-brk=0', '--inspect-publish-uid=http', '--debug-port=1', '--disable-sigusr1'])(
    'gives way to %s of the user',
    (word) => {
      expect(isFlagged({ interpreterArgs: ['--no-warnings', word] })).toBe(false);
      expect(isFlagged({ env: { NODE_OPTIONS: `--no-warnings ${word}` } })).toBe(false);
    },
  );
});
