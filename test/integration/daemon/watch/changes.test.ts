// What editors, compilers, git and deploys do to the files of an app that is watched, and which of it is a change.
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { makeFifo, outputOf } from '../../../helpers/program.ts';
import { watchedTreeForEach } from '../../../helpers/watched-tree.ts';

const { at, write, remove, move, relink, publish, watching, sees, others } = watchedTreeForEach();
const link = (to: string, path: string) => symlinkSync(to, at(path));
const git = (...words: string[]) =>
  outputOf('git', ['-C', at(), '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...words]);

/** What happens, what is reported of it, among others, and what is there before. */
interface Change {
  happens(): unknown;
  reported: string;
  before?(): unknown;
}

const changes: Record<string, Change> = {
  'a file that is written in place': { happens: () => write('lib/a.js', '2'), reported: 'lib/a.js' },
  'a file that is appended to': { happens: () => appendFileSync(at('lib/a.js'), '2'), reported: 'lib/a.js' },
  'a file that is emptied': { happens: () => truncateSync(at('lib/a.js')), reported: 'lib/a.js' },
  'a file that a new one replaces': {
    happens() {
      write('lib/a.js~', '2');
      move('lib/a.js~', 'lib/a.js');
    },
    reported: 'lib/a.js',
  },
  'a file that is kept as a backup': {
    happens() {
      move('lib/a.js', 'lib/a.js~');
      write('lib/a.js', '2');
    },
    reported: 'lib/a.js',
  },
  'a safe write of an IDE': {
    happens() {
      write('lib/a.js___tmp', '2');
      move('lib/a.js', 'lib/a.js___old');
      move('lib/a.js___tmp', 'lib/a.js');
      remove('lib/a.js___old');
    },
    reported: 'lib/a.js',
  },
  'a file that is touched': {
    happens: () => utimesSync(at('lib/a.js'), new Date(), new Date()),
    reported: 'lib/a.js',
  },
  'the rights of a file': { happens: () => chmodSync(at('lib/a.js'), 0o755), reported: 'lib/a.js' },
  'a new file': { happens: () => write('lib/new.js'), reported: 'lib/new.js' },
  'a new file in new directories': { happens: () => write('lib/new/deep/c.js'), reported: 'lib/new/deep/c.js' },
  'a file whose name begins with a dot': { happens: () => write('.env'), reported: '.env' },
  'a removed file': { happens: () => remove('lib/a.js'), reported: 'lib/a.js' },
  'a removed directory': { happens: () => remove('lib'), reported: 'lib' },
  'a renamed file': { happens: () => move('lib/a.js', 'lib/z.js'), reported: 'lib/z.js' },
  'a file that a link replaces': {
    happens() {
      remove('lib/a.js');
      link('../app.js', 'lib/a.js');
    },
    reported: 'lib/a.js',
  },
  'a directory that is built again': {
    happens() {
      remove('lib');
      write('lib/a.js', '2');
    },
    reported: 'lib/a.js',
  },
  'a directory that another one replaces': {
    happens() {
      write('next/deep/b.js', '2');
      move('lib', 'old');
      move('next', 'lib');
    },
    reported: 'lib/deep/b.js',
  },
  'a directory that is moved away': { happens: () => move('lib/deep', 'node_modules/deep'), reported: 'lib/deep' },
  'a directory that is moved in': {
    before: () => write('outside/lib/c.js'),
    happens: () => move('outside/lib', 'lib/in'),
    reported: 'lib/in/c.js',
  },
  'a copied directory': {
    happens: () => cpSync(at('lib'), at('copy'), { recursive: true }),
    reported: 'copy/deep/b.js',
  },
  'a file that rsync replaces': {
    happens() {
      write('lib/.a.js.Xy12Zw', '2');
      move('lib/.a.js.Xy12Zw', 'lib/a.js');
    },
    reported: 'lib/a.js',
  },
  'a link that is switched in one step': {
    before: () => link('node_modules', 'current'),
    happens: () => relink('lib', 'current'),
    reported: 'current',
  },
  'a link that is removed and made again': {
    before: () => link('node_modules', 'current'),
    happens() {
      remove('current');
      link('lib', 'current');
    },
    reported: 'current',
  },
  'a ConfigMap': {
    before: () => publish('config', '1'),
    happens: () => publish('config', '2'),
    reported: 'config/..data',
  },
};

describe('a change', () => {
  it.each(Object.entries(changes))('is %s', async (_what, { happens, reported, before }) => {
    await before?.();
    await watching({ ignore: ['outside'] });
    await happens();
    await sees(reported);
  });

  it('is another branch, and no commit', async () => {
    write('.gitignore', 'node_modules\n');
    await git('init', '--initial-branch', 'main');
    await git('add', '.');
    await git('commit', '-m', 'one');
    await git('switch', '--create', 'other');
    write('lib/a.js', 'other');
    await watching();
    await git('commit', '--all', '-m', 'two');
    await git('gc', '--quiet');
    expect(await others('marker')).toEqual([]);
    await git('switch', 'main');
    await sees('lib/a.js');
    expect(readFileSync(at('lib', 'a.js'), 'utf8')).toBe('1');
  });
});

/** What happens, and what is there before. */
interface NoChange {
  happens(): unknown;
  before?(): unknown;
}

const editors = ['lib/.a.js.swp', 'lib/a.js~', 'lib/4913', 'lib/.#a.js', 'lib/#a.js#'];
const profiles = ['lib/a.cpuprofile', 'lib/a.heapprofile', 'lib/a.heapsnapshot'];

function writeAll(paths: readonly string[]): void {
  for (const path of paths) write(path);
}

const noChanges: Record<string, NoChange> = {
  'what editors leave while they save': { happens: () => writeAll(editors) },
  'what a profiler writes': { happens: () => writeAll(profiles) },
  'an empty directory': { happens: () => mkdirSync(at('lib', 'empty')) },
  'the rights of a directory': {
    happens() {
      chmodSync(at('lib'), 0o700);
      chmodSync(at(), 0o700);
    },
  },
  'a package': { happens: () => write('node_modules/other/index.js') },
  'a package of a package': { happens: () => write('lib/node_modules/other/index.js') },
  'a directory whose name begins with a dot': {
    happens: () => writeAll(['.cache/deep/x', 'lib/.turbo/x']),
  },
  'the removal of such a directory': { before: () => write('.next/server/a.js'), happens: () => remove('.next') },
  'a FIFO': { happens: () => makeFifo(at('lib', 'fifo')) },
  'the removal of a FIFO': { before: () => makeFifo(at('fifo')), happens: () => remove('fifo') },
  'what a link below it leads to': {
    before() {
      write('outside/deep/x');
      link('../outside', 'lib/away');
    },
    happens: () => write('outside/deep/x', '2'),
  },
  'a file that nsv writes': { happens: () => write('lib/own.log') },
};

describe('no change', () => {
  it.each(Object.entries(noChanges))('is %s', async (_what, { happens, before }) => {
    await before?.();
    const own = { has: (path: string) => path === at('lib', 'own.log') };
    await watching({ ignore: ['outside'], own });
    await happens();
    expect(await others()).toEqual([]);
  });

  let server: Server | undefined;
  afterEach(() => server?.close());

  it('is a socket that appears, and goes', async () => {
    await watching();
    server = createServer();
    await new Promise<void>((resolve) => server!.listen(at('lib', 'app.sock'), resolve));
    expect(await others()).toEqual([]);
    await new Promise((resolve) => server!.close(resolve));
    expect(await others()).toEqual([]);
  });
});
