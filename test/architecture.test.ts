// Who may import whom, who owns which package and which sharp tool, and how long a file may be.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => join(folder, file));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const sources = filesIn('src', /\.ts$/);
const layerOf = (file: string) => file.split('/')[1]!;

const mayImport: Record<string, string[]> = {
  shared: [],
  // Types only, which are still to move.
  os: ['shared', 'ipc', 'daemon'],
  config: ['shared', 'os'],
  ipc: ['shared', 'os', 'config'],
  client: ['shared', 'os', 'config', 'ipc'],
  daemon: ['shared', 'os', 'config', 'ipc'],
  cli: ['shared', 'os', 'config', 'ipc', 'client'],
  formatter: ['shared', 'os', 'config', 'ipc'],
  run: ['shared', 'os', 'config', 'ipc', 'daemon', 'formatter'],
  // Shows what the command line prints, on a screen.
  monit: ['shared', 'ipc', 'cli'],
  rotator: ['shared', 'os', 'ipc'],
  // Of the daemon's it needs what one leaves behind.
  doctor: ['shared', 'os', 'config', 'ipc', 'daemon'],
  // Of the command line's it needs how apps are brought up.
  api: ['shared', 'os', 'config', 'ipc', 'client', 'cli'],
  // An app like any other.
  serve: ['config'],
  worker: ['ipc'],
};

/** Each package has one place that knows it. */
const packageOwners: Record<string, RegExp> = {
  commander: /^src\/cli\/(main|program|args\/options|command)\.ts$|^src\/cli\/commands\//,
  chalk: /^src\/cli\/render\//,
  'cli-table3': /^src\/cli\/render\//,
  pidusage: /^src\/os\/sampler/,
  pino: /^src\/daemon\/logger\.ts$/,
  croner: /^src\/config\/cron\.ts$/,
  yaml: /^src\/config\/file\/document\.ts$/,
  send: /^src\/serve\/files\.ts$/,
  picomatch: /^src\/daemon\/triggers\/watcher\.ts$/,
};

/** Each sharp tool has few hands. */
const toolOwners: { tool: string; use: RegExp; owners: RegExp }[] = [
  {
    tool: 'child_process',
    use: /from 'node:child_process'/,
    owners:
      /^src\/daemon\/(launch|sockets)\/|^src\/(client\/daemon-process|cli\/boot\/install|os\/users)\.ts$|^src\/config\/(interpreter|evaluate|file\/execute)\.ts$/,
  },
  {
    tool: 'process.kill',
    use: /\bprocess\.kill\(/,
    // The rotator stops the writers of a log file for a moment and lets them go on; it is not the daemon. The screen signals
    // only itself and the shell's job that it belongs to, as a terminal does.
    owners:
      /^src\/os\/terminate\.ts$|^src\/worker\/shutdown\.ts$|^src\/rotator\/standstill\.ts$|^src\/monit\/terminal\.ts$/,
  },
  {
    tool: 'process.exit',
    use: /\bprocess\.(exit|reallyExit)\(/,
    owners:
      /^src\/(cli|daemon|formatter|run)\/main\.ts$|^src\/daemon\/sockets\/activate\.ts$|^src\/config\/evaluate\.ts$/,
  },
  { tool: 'Date.now', use: /\bDate\.now\(/, owners: /^src\/shared\/clock\.ts$/ },
];

describe('the layout', () => {
  it.each(sources)('%s imports only from its own layer and those below it', (file) => {
    for (const [, target] of read(file).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      const path = relative(root, join(root, dirname(file), target!));
      if (!path.startsWith('src/')) continue;
      expect([layerOf(file), ...mayImport[layerOf(file)]!], `${file} imports ${target}`).toContain(layerOf(path));
    }
  });

  it.each([
    ...sources,
    ...filesIn('test', /\.ts$/),
    ...filesIn('scripts', /\.m?[jt]s$/),
    ...filesIn('bench', /\.m?[jt]s$/),
  ])('%s fits in one reading', (file) => {
    expect(read(file).split('\n').length).toBeLessThanOrEqual(300);
  });

  it.each(sources)('%s has named exports only', (file) => {
    expect(read(file)).not.toMatch(/^export default/m);
  });
});

describe('an owner', () => {
  it.each(sources)('is the only one that imports its package: %s', (file) => {
    for (const [, name] of read(file).matchAll(/(?:from|import\()\s*'([^.'][^']*)'/g)) {
      if (name!.startsWith('node:')) continue;
      expect(packageOwners[name!], `"${name}" has no owner`).toBeDefined();
      expect(file, `"${name}" belongs elsewhere`).toMatch(packageOwners[name!]!);
    }
  });

  it.each(toolOwners)('is the only one that uses $tool', ({ use, owners }) => {
    expect(sources.filter((file) => use.test(read(file)) && !owners.test(file))).toEqual([]);
  });
});

describe('what is loaded into the app', () => {
  it.each(sources.filter((file) => layerOf(file) === 'worker'))(
    '%s imports nothing but node, its folder and the messages',
    (file) => {
      for (const [, target] of read(file).matchAll(/^import (?!type\b).*from '([^']+)'/gm)) {
        expect(target).toMatch(
          /^node:|^\.\.?\/[\w-]+\.ts$|^\.\.?\/(crash|servers|sockets)\/|ipc\/worker-messages\.ts$/,
        );
      }
    },
  );
});
