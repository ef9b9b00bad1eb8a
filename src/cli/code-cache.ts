// Loads the parts of the command line, and libraries, with the code that V8 compiled in an earlier run: compiling takes a fifth of the
// time of most commands. Node can do this itself (module.enableCompileCache), but not Node 20.
//
// A part comes in the function that Node would wrap a CommonJS module in (scripts/build.mjs): wrapping it here would copy its text. A
// library is a plain CommonJS file, because other programs of nsv load it too.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Script } from 'node:vm';
import { isTrustedPath } from '../os/trust/trusted-path.ts';
import { version } from '../shared/version.ts';

export interface PartLoader {
  /** Returns the exports of a part. What it requires by a relative path is loaded in the same way. */
  load(file: string): unknown;
  /**
   * Keeps the compiled code of the parts that had none, with the functions that have run. Does nothing if it cannot: the next command
   * compiles again.
   */
  save(): void;
}

const wrapper = '(function (exports, require, module, __filename, __dirname) {';

/**
 * Many parts and libraries require these, but few commands use them, and each takes up to 3 ms to load. Their names are read when they
 * are used, never copied.
 */
const rarelyUsed: ReadonlySet<string> = new Set([
  '../vendor/commander.js',
  '../vendor/pino.js',
  'node:child_process',
  'node:module',
  'node:stream/consumers',
]);

/** One version of nsv has about a dozen under one version of Node. */
const mostFiles = 60;

/**
 * `directory`: created by `save` if its parent exists; undefined for none. It is not used if another user could decide what is in it,
 * because V8 trusts the code that it is given: https://v8.dev/blog/code-caching.
 */
export function createPartLoader(directory: string | undefined): PartLoader {
  const cache = directory !== undefined && isOwn(directory) ? directory : undefined;
  const parts = new Map<string, { exports: unknown }>();
  /** By the files that are to hold their code. */
  const compiled = new Map<string, Script>();

  function load(file: string): unknown {
    const known = parts.get(file);
    if (known) return known.exports;
    const part = { exports: {} };
    parts.set(file, part);
    // Esbuild writes ASCII, which is read faster like this than as UTF-8.
    const text = readFileSync(file, 'latin1');
    const source = text.startsWith(wrapper) ? text : `${wrapper}${text}\n})`;
    const find = (id: string) => (id.startsWith('.') ? load(resolve(dirname(file), id)) : require(id));
    const requireLater = (id: string) => (rarelyUsed.has(id) ? whenUsed(() => find(id) as object) : find(id));
    compile(file, source).runInThisContext()(part.exports, requireLater, part, file, dirname(file));
    return part.exports;
  }

  function compile(file: string, source: string): Script {
    if (!cache) return new Script(source, { filename: file });
    const kept = join(cache, nameOf(file));
    const cachedData = readIfThere(kept);
    const script = new Script(source, { filename: file, cachedData });
    // V8 rejects what is cut short, or made for another processor.
    if (!cachedData || script.cachedDataRejected) compiled.set(kept, script);
    return script;
  }

  return {
    load,
    save() {
      if (!cache || compiled.size === 0) return;
      try {
        makeRoom(cache);
        for (const [file, script] of compiled) write(file, script.createCachedData());
      } catch {
        // There is no home yet, or the disk is full or read-only.
      }
    },
  };
}

/** Stands for what `find` returns, and calls it at the first use. */
function whenUsed(find: () => object): object {
  let found: object | undefined;
  return new Proxy(
    {},
    {
      get(_, name) {
        found ??= find();
        return Reflect.get(found, name);
      },
    },
  );
}

function isOwn(directory: string): boolean {
  return isTrustedPath(join(directory, 'file'), { uid: process.geteuid?.() ?? 0, sticky: 'new' });
}

/**
 * Of which file, by which Node and with which flags: of the source, V8 compares the length only, and it rejects code made with other
 * flags. Not the time of the last change, which is the same for all versions that some package managers install.
 */
function nameOf(file: string): string {
  const { size, ctimeMs } = statSync(file);
  const flags = [...process.execArgv, process.env.NODE_OPTIONS].join(' ');
  const words = [basename(file), version, size, ctimeMs, process.version, process.arch];
  return [...words, Buffer.from(flags).toString('base64url').slice(0, 100)].join('-');
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Creates the directory, and empties it when the code of earlier versions has piled up. */
function makeRoom(directory: string): void {
  if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
  const files = readdirSync(directory);
  if (files.length < mostFiles) return;
  for (const file of files) rmSync(join(directory, file), { force: true });
}

/** Whole or not at all, also after a power cut, as V8 does not check what it is given. */
function write(file: string, code: Buffer): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, code, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
