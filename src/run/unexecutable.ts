// Reports a program that cannot be executed the way a shell does.
import type { AppSpec } from '../config/app-spec.ts';
import { whyNotExecutable } from '../daemon/launch/diagnosis.ts';
import { isFile } from '../os/programs.ts';
import { failure, type NsvError } from '../shared/errors.ts';

type Program = Pick<AppSpec, 'interpreter' | 'script' | 'cwd'>;

export function unexecutable({ interpreter, script, cwd }: Program): NsvError {
  const program = interpreter ?? script;
  if (!isFile(program)) return failure('PROGRAM_MISSING', { program });
  const detail = whyNotExecutable(program, cwd) ?? 'the system refused to execute it';
  return failure('PROGRAM_UNEXECUTABLE', { program, detail });
}

/** 126 (not executable) or 127 (not found). */
export function unexecutableCode(program: Program): number {
  return unexecutable(program).exitCode;
}
