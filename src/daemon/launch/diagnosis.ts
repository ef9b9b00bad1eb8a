// Why a program could not be executed. The system says ENOENT for a directory that is gone, a program that is gone and
// a first line that names an interpreter that is gone, and Node tells even that only later: so it is looked up.
import { isDirectory, isExecutable, isFile, shebangOf } from '../../os/programs.ts';

/** Undefined when nothing is wrong with either. */
export function whyNotExecutable(program: string, cwd: string): string | undefined {
  if (!isDirectory(cwd)) return `the working directory "${cwd}" is gone`;
  if (!isFile(program)) return 'no such file';
  if (!isExecutable(program)) return 'it is not executable';
  const interpreter = shebangOf(program)?.[0];
  if (interpreter && !isExecutable(interpreter)) return `its first line names "${interpreter}", which is not there`;
  return undefined;
}
