// Who may import whom, who owns which package and which sharp tool, and how large a file and a folder may be.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { circlesIn, exportsOf, importsOf, readHouse } from '../scripts/house.mjs';

const root = join(import.meta.dirname, '..');
const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => join(folder, file));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const house = readHouse(root);
const sources = [...house.keys()];

/** From the ground up: a room imports only from those above it in this list. */
const rooms = [
  'shared',
  'os',
  'config',
  'ipc',
  'privileges',
  'channels',
  'logs',
  'client',
  ...[
    'output',
    'channels',
    'launch',
    'sockets',
    'process',
    'in-app',
    'state',
    'deaths',
    'slot',
    'apps',
    'triggers',
    'probes',
  ].map((room) => `daemon/${room}`),
  ...['rotation', 'control', 'recovery', 'upkeep'].map((room) => `daemon/${room}`),
  'daemon',
  // Each a program or a bundle: none of them imports from another.
  'worker',
  'app',
  'queue',
  ...['run', 'broker', 'keeper', 'socket-helper', 'activator', 'formatter', 'rotator'],
  ...['monit', 'doctor', 'serve', 'health', 'profile', 'api'],
  'cli',
];
const programs = rooms.slice(rooms.indexOf('worker'), rooms.indexOf('cli'));

/** What every room of the daemon may import. */
const openToTheDaemon = ['events', 'logger', 'problems'].map((name) => `src/daemon/${name}.ts`);

function roomOf(file: string): string {
  const folder = relative('src', dirname(file));
  return rooms.includes(folder.split('/').slice(0, 2).join('/'))
    ? folder.split('/').slice(0, 2).join('/')
    : folder.split('/')[0]!;
}

function mayImport(file: string, target: string): boolean {
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === to) return true;
  if (from.startsWith('daemon/') && openToTheDaemon.includes(target)) return true;
  // It shows on a screen what the command line prints.
  if (from === 'monit' && target.startsWith('src/cli/render/')) return true;
  // It runs inside the user's programs, and must not bring anything along but the messages.
  if (from === 'worker' || from === 'app') return to === 'ipc';
  if (from === 'queue') return to === 'ipc' || to === 'app';
  if (programs.includes(from) && programs.includes(to)) return false;
  return rooms.indexOf(to) < rooms.indexOf(from);
}

/** Each package has one place that knows it. */
const packageOwners: Record<string, RegExp> = {
  commander: /^src\/cli\/args\/options\.ts$/,
  chalk: /^src\/cli\/render\//,
  'cli-table3': /^src\/cli\/render\//,
  pidusage: /^src\/os\/sampler\.ts$/,
  ws: /^src\/client\/stacks\/attach\.ts$/,
  pino: /^src\/daemon\/logger\.ts$/,
  croner: /^src\/config\/cron\.ts$/,
  yaml: /^src\/config\/file\/document\.ts$/,
  send: /^src\/serve\/files\.ts$/,
  'mime-types': /^src\/serve\/files\.ts$/,
  ioredis: /^src\/queue\/stores\/redis\//,
  picomatch: /^src\/daemon\/triggers\/watch\/patterns\.ts$/,
};

/** Each sharp tool has few hands. */
const toolOwners: { tool: string; use: RegExp; owners: RegExp }[] = [
  {
    tool: 'child_process',
    use: /from 'node:child_process'/,
    owners:
      /^src\/(daemon\/)?channels\/|^src\/daemon\/(launch|sockets)\/|^src\/logs\/owners-target\.ts$|^src\/broker\/main\.ts$|^src\/(client\/daemon-process|cli\/boot\/(install|systemd)|os\/(users|spawn-child))\.ts$|^src\/config\/(program\/interpreter|evaluate|file\/execute)\.ts$/,
  },
  {
    tool: 'process.kill',
    use: /\bprocess\.kill\(/,
    // The rotator pauses the writers of a log file; it is not the daemon. The screen signals only itself and the shell's
    // job that it belongs to, as a terminal does.
    owners:
      /^src\/os\/terminate\.ts$|^src\/worker\/shutdown\/shutdown\.ts$|^src\/rotator\/pause-writers\.ts$|^src\/monit\/terminal\.ts$/,
  },
  {
    tool: 'process.exit',
    use: /\bprocess\.(exit|reallyExit)\(/,
    owners:
      /^src\/(activator|broker|daemon|formatter|keeper|run|socket-helper)\/main\.ts$|^src\/cli\/(command-line|oldest-node)\.ts$|^src\/config\/evaluate\.ts$|^src\/app\/(lightship|shutdown\/(ending|exit))\.ts$/,
  },
  { tool: 'Date.now', use: /\bDate\.now\(/, owners: /^src\/(shared|app)\/clock\.ts$/ },
  {
    tool: 'process.env',
    // Not in the comments that show what users write.
    use: /^(?! *(?:\*|\/\/|\/\*\*)).*\bprocess\.env\b/m,
    owners:
      /^src\/(shared\/paths|os\/(allocator|process-1|terminate)|client\/daemon-process|config\/environment|(serve|health)\/main)\.ts$|^src\/cli\/(code-cache|context|main|commands\/update)\.ts$|^src\/daemon\/(main|foreground|launch\/(home-formatting|notify))\.ts$|^src\/worker\/(preload|insight\/collections)\.ts$|^src\/app\/instance\.ts$|^src\/queue\/stores\/sqlite\/sqlite\.ts$/,
  },
  {
    tool: 'private members of Node',
    // `_write` is public: whoever implements a stream defines it.
    use: /(\.|\{ |')_(?!write\b)[a-zA-Z]\w*|getOwnPropertySymbols|'k[A-Z]\w+'/,
    owners: /\/node-[a-z]+\.ts$/,
  },
  { tool: 'fsync', use: /\bfsync(Sync)?\b/, owners: /^src\/shared\/atomic-file\.ts$/ },
];

describe('the layout', () => {
  it('has a room for every file', () => {
    expect(sources.filter((file) => !rooms.includes(roomOf(file)))).toEqual([]);
  });

  it('lets a room import only from those above it', () => {
    const wrong = [...house].flatMap(([file, source]) =>
      importsOf(source)
        .filter((target) => !mayImport(file, target))
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('is described in docs/architecture.md, room by room in this order', () => {
    const reported = [...read('docs/architecture.md').matchAll(/^\| `([a-z/-]+)` \|/gm)].map(([, room]) => room);
    expect(reported).toEqual(rooms);
  });

  it('has no import cycles, not even of types', () => {
    expect(circlesIn(new Map([...house].map(([file, source]) => [file, importsOf(source)])))).toEqual([]);
  });

  it('has no file of 300 lines or more', () => {
    const all = [...sources, ...['test', 'scripts', 'bench'].flatMap((folder) => filesIn(folder, /\.m?[jt]s$/))];
    expect(all.filter((file) => read(file).split('\n').length > 300)).toEqual([]);
  });

  it('has no folder of more than 20 files, except the one of all commands', () => {
    const folders = [...new Set(sources.map(dirname))].filter((folder) => folder !== 'src/cli/commands');
    const sizeOf = (folder: string) => sources.filter((file) => dirname(file) === folder).length;
    expect(folders.filter((folder) => sizeOf(folder) > 20)).toEqual([]);
  });

  it('exports each name from one file only, except for twins', () => {
    // A command and the operation that it calls; the worker's way to the daemon; what both tables do with an event.
    const operations = ['reload', 'reset', 'restart', 'resurrect', 'scale', 'signal', 'start', 'stop', 'trigger'];
    const twins = [...operations, 'send', 'ignore', 'impossible', 'replace'];
    const exporting = new Map<string, string[]>();
    for (const [file, source] of house) {
      for (const name of exportsOf(source)) exporting.set(name, [...(exporting.get(name) ?? []), file]);
    }
    const shared = [...exporting].filter(([, files]) => files.length > 1).map(([name]) => name);
    expect(shared.sort()).toEqual(twins.sort());
  });

  it('has named exports only', () => {
    expect(sources.filter((file) => /^export default/m.test(read(file)))).toEqual([]);
  });
});

describe('a decision about a process', () => {
  /** Views, which only show a state, and what reads it from a file. */
  const views = ['src/daemon/control/view.ts', 'src/daemon/state/group-record.ts'];
  const kinds = 'stopped|spawning|starting|online|stopping|backoff|waiting|errored';
  const compares = new RegExp(`\\bstate\\.kind\\b|\\bkind [!=]== '(${kinds})'`);

  it('is made by the tables of processes and slots: no other file compares kinds of states', () => {
    const rooms = ['src/daemon/', 'src/run/', 'src/doctor/'];
    const others = sources.filter(
      (file) =>
        rooms.some((room) => file.startsWith(room)) &&
        !/^src\/daemon\/(process|slot)\//.test(file) &&
        !views.includes(file) &&
        compares.test(read(file)),
    );
    expect(others).toEqual([]);
  });
});

describe('a path through the code that docs/architecture.md describes', () => {
  const text = read('docs/architecture.md');
  const paths = [...text.matchAll(/<!-- path: (\w+) -->(.*?)<!-- \/path -->/gs)].map(([, name, table]) => ({
    name: name!,
    steps: [...table!.matchAll(/^\| `([\w/.-]+)` \| `#?(\w+)` \|/gm)].map(([, file, step]) => ({
      file: file!.startsWith('worker/') ? `src/${file}` : `src/daemon/${file}`,
      step: step!,
    })),
  }));

  it.each(paths)('leads from function to function by name: $name', ({ steps }) => {
    const mentions = (file: string, name: string) => new RegExp(`\\b${name}\\b`).test(read(file));
    const declares = (file: string, name: string) =>
      new RegExp(`(function |^  (async )?#?)${name}[<(]|^const ${name}: Cell`, 'm').test(read(file));
    const broken = steps.filter(({ file, step }, index) => {
      const before = steps[index - 1];
      // A cell is found by the table, which names it.
      return !declares(file, step) || (before && !steps.slice(0, index).some((each) => mentions(each.file, step)));
    });
    expect(broken).toEqual([]);
  });

  const filesOn = (...names: string[]) =>
    new Set(paths.filter(({ name }) => names.includes(name)).flatMap(({ steps }) => steps.map(({ file }) => file)))
      .size;

  it('crosses few files from the exit of a process to the decision', () => {
    expect(filesOn('death')).toBeLessThanOrEqual(7);
  });

  it('crosses few files from a reload to the end of a drain', () => {
    expect(filesOn('reload', 'drain')).toBeLessThanOrEqual(14);
  });
});

describe('an owner', () => {
  it('is the only one that imports its package', () => {
    const wrong = sources.flatMap((file) =>
      [...read(file).matchAll(/(?:from|import\(|^import)\s*'([^.'\n][^'\n]*)'/gm)]
        .map(([, name]) => name!)
        .filter((name) => !name.startsWith('node:') && !packageOwners[name]?.test(file))
        .map((name) => `${file} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each(toolOwners)('is the only one that uses $tool', ({ use, owners }) => {
    expect(sources.filter((file) => use.test(read(file)) && !owners.test(file))).toEqual([]);
  });
});

describe('what is loaded into the app', () => {
  const allowedFor = (room: string) => new RegExp(`^node:|^src/${room}/|^src/ipc/(worker-messages|app/bridge)\\.ts$`);

  it('imports nothing but Node, its own room and the messages', () => {
    const wrong = sources
      .filter((file) => ['worker', 'app'].includes(roomOf(file)))
      .flatMap((file) =>
        [...read(file).matchAll(/^import (?:(?!type\b).*from )?'([^']+)'/gm)]
          .map(([, target]) => (target!.startsWith('.') ? join(dirname(file), target!) : target!))
          .filter((target) => !allowedFor(roomOf(file)).test(target))
          .map((target) => `${file} imports ${target}`),
      );
    expect(wrong).toEqual([]);
  });
});
