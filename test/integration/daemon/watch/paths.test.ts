// Paths that lead elsewhere while they are watched, or nowhere for a while.
import { chmodSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually, sees as noting } from '../../../helpers/eventually.ts';
import { watchedTreeForEach } from '../../../helpers/watched-tree.ts';

const { at, state, write, remove, move, relink, publish, watching, sees, others } = watchedTreeForEach();
const link = (to: string, path: string) => symlinkSync(to, at(path));

function replace(directory: string, file: string): void {
  write(`next/${file}`);
  move(directory, 'old');
  move('next', directory);
}

function rebuild(directory: string, file: string): void {
  remove(directory);
  write(`${directory}/${file}`);
}

/** The watched path, what happens to it, a file that belongs to it afterwards, and what is there before. */
interface Way {
  path: string;
  happens(): void;
  file: string;
  before?(): void;
}

function releases(file: string): void {
  for (const release of ['1', '2']) write(`releases/${release}/${file}`);
  link('releases/1', 'current');
}

const ways: Record<string, Way> = {
  'a directory that is built again': { path: 'lib', happens: () => rebuild('lib', 'a.js'), file: 'lib/a.js' },
  'a directory that another one replaces': { path: 'lib', happens: () => replace('lib', 'a.js'), file: 'lib/a.js' },
  'a directory in one that another one replaces': {
    path: 'lib/deep',
    happens: () => replace('lib', 'deep/b.js'),
    file: 'lib/deep/b.js',
  },
  'a directory that does not exist yet': { path: 'dist', happens: () => write('dist/a.js'), file: 'dist/a.js' },
  'a directory whose parents do not exist either': {
    path: 'a/b/dist',
    happens: () => write('a/b/dist/a.js'),
    file: 'a/b/dist/a.js',
  },
  'a directory whose name begins with a dot': {
    before: () => write('.config/a.js'),
    path: '.config',
    happens: () => rebuild('.config', 'a.js'),
    file: '.config/a.js',
  },
  'a package': {
    path: 'node_modules/some',
    happens: () => rebuild('node_modules', 'some/index.js'),
    file: 'node_modules/some/index.js',
  },
  'a file that does not exist yet': { path: 'conf.json', happens: () => write('conf.json'), file: 'conf.json' },
  'a file that is removed and written again': {
    path: 'lib/a.js',
    happens() {
      remove('lib/a.js');
      write('lib/a.js');
    },
    file: 'lib/a.js',
  },
  'a file whose directory is built again': {
    path: 'lib/a.js',
    happens: () => rebuild('lib', 'a.js'),
    file: 'lib/a.js',
  },
  'a file whose directory another one replaces': {
    path: 'lib/deep/b.js',
    happens: () => replace('lib', 'deep/b.js'),
    file: 'lib/deep/b.js',
  },
  'a link to a release, and the old one goes': {
    before: () => releases('a.js'),
    path: 'current',
    happens() {
      relink('releases/2', 'current');
      remove('releases/1');
    },
    file: 'current/a.js',
  },
  'a directory of a release': {
    before: () => releases('src/a.js'),
    path: 'current/src',
    happens: () => relink('releases/2', 'current'),
    file: 'current/src/a.js',
  },
  'a link that leads nowhere yet': {
    before: () => link('releases/1', 'current'),
    path: 'current',
    happens: () => write('releases/1/a.js'),
    file: 'current/a.js',
  },
  'a file of a ConfigMap': {
    before() {
      publish('config', '1');
      link('..data/app.json', 'config/app.json');
    },
    path: 'config/app.json',
    happens: () => publish('config', '2'),
    file: 'config/app.json',
  },
  'what a glob means, below a directory that does not exist yet': {
    path: 'dist/**/*.js',
    happens: () => write('dist/deep/a.js'),
    file: 'dist/deep/a.js',
  },
};

describe('a watched path', () => {
  it.each(Object.entries(ways))('may be %s', async (_what, { path, happens, file, before }) => {
    before?.();
    await watching({ paths: [at(path)] });
    happens();
    await eventually(() => noting('reported', state.seen).length > 0, 'that it leads elsewhere');
    state.seen.length = 0;
    write(file, '2');
    await sees(file);
  });

  it('has not changed while it is away', async () => {
    await watching({ paths: [at('lib'), at('app.js')] });
    remove('lib');
    expect(await others()).toEqual([]);
    write('lib/a.js');
    await sees('lib');
  });

  it('has not changed when it has other rights', async () => {
    await watching({ paths: [at('lib'), at('app.js')] });
    chmodSync(at('lib'), 0o700);
    expect(await others()).toEqual([]);
  });

  it('is reported as long as it does not exist', async () => {
    await watching({ paths: [at('missing'), at('none/*.js'), at('app.js')] });
    const missing = ['/missing', '/none/*.js'].map(
      (path) => `${path} does not exist: its changes will be noticed once it does`,
    );
    expect(state.problems).toEqual(missing);
    expect(await others()).toEqual([]);
    write('missing/a.js');
    await sees('missing');
    expect(state.problems).toEqual([...missing, 'solved']);
  });
});

describe('a glob', () => {
  it.each<[glob: string[], counting: string[], others: string[]]>([
    [['src/**/*.js'], ['src/a.js', 'src/deep/b.js', 'src/new/c.js'], ['src/a.css', 'x.js', 'src/new/c.css']],
    [['src/*.{js,ts}'], ['src/a.js', 'src/b.ts'], ['src/deep/b.js', 'src/a.css']],
    [['packages/*/src'], ['packages/one/src/a.js', 'packages/two/src/deep/b.js'], ['packages/one/a.js']],
    [['**/*.json'], ['a.json', 'lib/deep/b.json', '.rc.json'], ['node_modules/a.json', '.cache/a.json', 'b.js']],
    [['src', '!src/gen', '!**/*.test.js'], ['src/a.js'], ['src/gen/a.js', 'src/a.test.js']],
    [['src/a[1].js'], ['src/a[1].js'], ['src/a1.js']],
    [['src/@(a|b).js'], ['src/a.js', 'src/b.js'], ['src/c.js']],
    [['!src/gen'], ['src/a.js', 'lib/a.js'], ['src/gen/a.js']],
  ])('%j means files and directories, and nothing else', async (globs, counting, rest) => {
    write('src/deep/x');
    write('src/gen/x');
    write('src/a[1].js');
    write('packages/one/src/deep/x');
    write('packages/two/src/deep/x');
    const marker = globs.every((glob) => glob.startsWith('!')) ? [] : [at('app.js')];
    await watching({ paths: [...globs.map((glob) => at(glob)), ...marker] });
    for (const path of rest) write(path, '2');
    expect(await others()).toEqual([]);
    for (const path of counting) {
      write(path, '2');
      await sees(path);
    }
  });

  it('is taken below the directory of the app, whatever characters that has', async () => {
    write('my (app)/[x]/src/a.js');
    const cwd = at('my (app)', '[x]');
    await watching({ cwd, paths: [`${cwd}/src/*.js`] });
    write('my (app)/[x]/src/a.js', '2');
    await sees('my (app)/[x]/src/a.js');
  });
});

describe('a pattern of ignored files', () => {
  it.each<[what: string, ignore: string[]]>([
    ['a name', ['gen']],
    ['a path below the directory of the app', ['./lib/gen/']],
    ['such a path, though the directory is reached through a link', ['current/lib/gen']],
    ['an absolute path', []],
    ['a glob of names', ['*.gen']],
    ['a glob of paths', ['lib/**/*.gen']],
    ['several', ['x', '*.{gen,tmp}']],
    ['one with exceptions', ['gen', '!app.js', '!*.css']],
  ])('is %s', async (_what, given) => {
    link('.', 'current');
    write('lib/gen/x.gen');
    const ignore = given.length > 0 ? given : [at('lib', 'gen')];
    await watching({ paths: [at('current', 'lib'), at('app.js')], ignore });
    write('lib/gen/x.gen', '2');
    expect(await others()).toEqual([]);
  });
});
