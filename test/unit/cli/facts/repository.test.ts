import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { revisionIn } from '../../../../src/cli/facts/repository.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

let home: string;

beforeEach(() => {
  home = temporaryDirectory();
});

const [one, other] = ['1', 'a'].map((digit) => digit.repeat(40)) as [string, string];
const sha256 = 'b'.repeat(64);

it.each<[string, Record<string, string>, ReturnType<typeof revisionIn>]>([
  ['a branch', { HEAD: 'ref: refs/heads/main\n', 'refs/heads/main': `${one}\n` }, { commit: one, branch: 'main' }],
  [
    'a branch with a slash',
    { HEAD: 'ref: refs/heads/fix/it\n', 'refs/heads/fix/it': one },
    { commit: one, branch: 'fix/it' },
  ],
  ['no branch', { HEAD: `${one}\n` }, { commit: one, branch: undefined }],
  [
    'a branch that is packed',
    {
      HEAD: 'ref: refs/heads/main\n',
      'packed-refs': `# pack-refs with: peeled\n${other} refs/heads/old/refs/heads/main\n${one} refs/heads/main\n^${other}\n`,
    },
    { commit: one, branch: 'main' },
  ],
  [
    'a branch that has moved since it was packed',
    { HEAD: 'ref: refs/heads/main\n', 'packed-refs': `${other} refs/heads/main\n`, 'refs/heads/main': `${one}\n` },
    { commit: one, branch: 'main' },
  ],
  ['a commit with a longer name', { HEAD: sha256 }, { commit: sha256, branch: undefined }],
  ['no commit yet', { HEAD: 'ref: refs/heads/main\n' }, undefined],
  ['branches that are kept otherwise', { HEAD: 'ref: refs/heads/.invalid\n', 'reftable/tables.list': 'x' }, undefined],
  ['a file elsewhere that is no branch', { HEAD: 'ref: refs/../secret\n', secret: 'password' }, undefined],
])('reads the revision of a repository with %s', (_, files, expected) => {
  for (const [name, text] of Object.entries(files)) write(join('.git', name), text);
  mkdirSync(join(home, 'packages/web'), { recursive: true });
  expect(revisionIn(join(home, 'packages/web'))).toEqual(expected);
});

it('reads the revision of a worktree, which shares the branches of its repository', () => {
  write('repository/.git/refs/heads/next', one);
  write('repository/.git/HEAD', 'ref: refs/heads/main');
  write('repository/.git/worktrees/next/HEAD', 'ref: refs/heads/next\n');
  write('repository/.git/worktrees/next/commondir', '../..\n');
  write('next/.git', `gitdir: ${join(home, 'repository/.git/worktrees/next')}\n`);
  expect(revisionIn(join(home, 'next'))).toEqual({ commit: one, branch: 'next' });
});

it('finds no revision outside a repository', () => {
  expect(revisionIn(home)).toBeUndefined();
});

function write(name: string, text: string): void {
  mkdirSync(dirname(join(home, name)), { recursive: true });
  writeFileSync(join(home, name), text);
}
