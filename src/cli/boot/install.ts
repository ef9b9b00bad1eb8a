// Writes or removes the file of a plan, and runs the commands of the init system.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeAtomically } from '../../shared/atomic-file.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import { lineToPaste, type Plan } from './plan.ts';
import { generatedMarker } from './service.ts';

/** Called for each step that was done. */
type Print = (text: string) => void;

/** Throws NEEDS_ROOT, NOT_NSV_FILE and CANNOT_SET_UP. */
export function install(plan: Plan, print: Print): void {
  const { file, platform, service } = plan;
  expectRights(plan, lineToPaste(plan, 'startup', '--install'));
  expectOurs(file);
  attempt(`write ${file}`, () => {
    mkdirSync(dirname(file), { recursive: true });
    // Atomically: a partial file would start nothing, and nsv would not recognise it as its own.
    writeAtomically(file, platform.render(service), { mode: platform.mode });
  });
  print(`wrote ${file}`);
  runAll(plan, platform.enable(service.name), print);
}

/** Returns false if there is no such file. Throws like `install`. */
export function uninstall(plan: Plan, print: Print): boolean {
  const { file, platform, service } = plan;
  if (!expectOurs(file)) return false;
  expectRights(plan, lineToPaste(plan, 'unstartup'));
  runAll(plan, platform.disable(service.name), print);
  attempt(`remove ${file}`, () => rmSync(file));
  print(`removed ${file}`);
  runAll(plan, platform.forget, print);
  return true;
}

function expectRights({ isRoot, platform, root, file }: Plan, instead: string): void {
  if (isRoot || platform.isOfUser || root !== undefined) return;
  throw failure('NEEDS_ROOT', { file }, { details: [instead] });
}

/** Throws CANNOT_SET_UP. */
function attempt<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw failure('CANNOT_SET_UP', { what, detail: detailOf(cause) }, { cause });
  }
}

/** Returns false if the file does not exist; throws NOT_NSV_FILE if nsv did not write it. */
function expectOurs(file: string): boolean {
  if (!existsSync(file)) return false;
  const content = attempt(`read ${file}`, () => readFileSync(file, 'utf8'));
  if (!content.includes(generatedMarker)) throw failure('NOT_NSV_FILE', { file });
  return true;
}

function runAll({ root }: Plan, commands: readonly (readonly [string, ...string[]])[], print: Print): void {
  for (const [program, ...args] of commands) {
    const line = [program, ...args].join(' ');
    if (root === undefined) runOne(line, program, args);
    print(root === undefined ? `ran ${line}` : `not run, as --root is set: ${line}`);
  }
}

function runOne(line: string, program: string, args: string[]): void {
  const { status, signal, error, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return;
  const detail = error?.message ?? (stderr.trim().replaceAll('\n', '; ') || (signal ?? `exit code ${status}`));
  throw failure('CANNOT_SET_UP', { what: `run "${line}"`, detail: detail });
}
