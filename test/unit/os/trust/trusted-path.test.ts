// Which paths only root and the daemon's user decide about. The file system is a table.
import { describe, expect, it } from 'vitest';
import { type CheckedPath, isTrustedPath, weaknessOf } from '../../../../src/os/trust/trusted-path.ts';

const directory = (uid: number, mode: number): CheckedPath => ({ kind: 'directory', uid, mode });
const file = (uid: number): CheckedPath => ({ kind: 'other', uid, mode: 0o644 });
const link = (target: string): CheckedPath => ({ kind: 'link', uid: 0, mode: 0o777, target });

const tree: Record<string, CheckedPath> = {
  '/': directory(0, 0o755),
  '/tmp': directory(0, 0o1777),
  '/tmp/home': directory(0, 0o700),
  '/tmp/home/logs': directory(0, 0o700),
  '/tmp/home/shared': directory(0, 0o777),
  '/tmp/home/away': link('/home/me'),
  '/tmp/roots': directory(0, 0o755),
  '/tmp/mine': directory(1000, 0o755),
  '/tmp/planted': { ...link('/srv'), uid: 1000 },
  '/tmp/home/shared/roots': directory(0, 0o755),
  '/var': directory(0, 0o755),
  '/var/log': directory(0, 0o755),
  '/var/log/app.log': file(1000),
  '/var/log/me': directory(1000, 0o755),
  '/var/log/team': directory(0, 0o775),
  '/var/log/linked.log': link('/home/me/a.log'),
  '/var/log/near.log': link('app.log'),
  '/var/log/up': link('../log/me'),
  '/var/log/home': link('/tmp/home/logs'),
  '/var/log/loop': link('loop'),
  '/srv': directory(7, 0o755),
  '/home': directory(0, 0o755),
  '/home/me': directory(1000, 0o750),
  '/home/me/a.log': file(1000),
};

const isTrusted = (path: string) => isTrustedPath(path, { uid: 7, home: '/tmp/home' }, (at) => tree[at]);

describe('a path', () => {
  it.each([
    ['/var/log/a.log', 'only root can write the directories'],
    ['/var/log/app.log', 'the owner of the file itself does not matter'],
    ['/var/log/new/deep/a.log', 'only root can create the directories'],
    ['/srv/a.log', "a directory is the daemon's own"],
    ['/tmp/home/logs/a.log', 'it is in the home, whatever is above'],
    ['/var/log/home/a.log', 'a link of root leads into the home'],
    ['/var/log/near.log', 'a link of root leads to a file beside it'],
    ['/var/../var/./log//a.log', 'there are dots on the way'],
  ])('is trusted: %s, as %s', (path) => expect(isTrusted(path)).toBe(true));

  it.each([
    ['/home/me/a.log', 'a directory belongs to another user'],
    ['/var/log/me/a.log', 'the last directory belongs to another user'],
    ['/var/log/team/a.log', 'the group can write a directory'],
    ['/tmp/a.log', 'anyone can write a directory'],
    ['/tmp/roots/a.log', 'anyone can write a directory further up'],
    ['/var/log/linked.log', 'a link leads to the directory of another user'],
    ['/var/log/up/a.log', 'a relative link leads to the directory of another user'],
    ['/tmp/home/shared/a.log', 'it is in a directory of the home that others can write'],
    ['/tmp/home/away/a.log', 'a link leads out of the home'],
    ['/tmp/home/../a.log', 'it leaves the home'],
    ['/tmp/homeless/a.log', 'its name only begins like that of the home'],
    ['/var/log/app.log/a.log', 'a file is in place of a directory'],
    ['/var/log/loop', 'a link leads to itself'],
  ])('is not trusted: %s, as %s', (path) => expect(isTrusted(path)).toBe(false));
});

describe('a path to something that exists', () => {
  const isFixed = (path: string) => isTrustedPath(path, { uid: 7, sticky: 'present' }, (at) => tree[at]);

  it.each(['/tmp', '/tmp/roots', '/tmp/home/logs', '/tmp/roots/../home'])('is fixed by the sticky bit: %s', (path) => {
    expect(isFixed(path)).toBe(true);
  });

  it.each(['/tmp/new', '/tmp/mine', '/tmp/home/shared/roots', '/home/me/a'])('is not fixed: %s', (path) => {
    expect(isFixed(path)).toBe(false);
  });
});

describe('a path to something new', () => {
  const weakness = (path: string) => weaknessOf(path, { uid: 7, sticky: 'new' }, (at) => tree[at]);

  it.each(['/tmp', '/tmp/new/deeper', '/tmp/roots', '/srv/new'])('may be created: %s', (path) => {
    expect(weakness(path)).toBeUndefined();
  });

  it.each([
    ['/tmp/mine/new', '/tmp/mine', 1000],
    ['/home/me/new', '/home/me', 1000],
    ['/var/log/team/new', '/var/log/team', 0],
    ['/tmp/home/away/new', '/home/me', 1000],
    ['/tmp/planted/new', '/tmp/planted', 1000],
  ])('is not safe: %s, because of %s', (path, directory, uid) => {
    expect(weakness(path)).toMatchObject({ path: directory, uid });
  });
});
