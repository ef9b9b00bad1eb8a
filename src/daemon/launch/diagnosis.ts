// Explains why a program could not be executed. The system says ENOENT for a missing directory, a missing program and a
// missing interpreter in the first line, and Node reports even that only later. So this checks each of them.
import { isDirectory, isExecutable, isFile, shebangOf } from '../../os/programs.ts';

export function goneText(cwd: string): string {
  return `the working directory "${cwd}" is gone`;
}

/** Returns undefined if there is no problem. */
export function whyNotExecutable(program: string, cwd: string): string | undefined {
  if (!isDirectory(cwd)) return goneText(cwd);
  if (!isFile(program)) return 'no such file';
  if (!isExecutable(program)) return 'it is not executable';
  const interpreter = shebangOf(program)?.[0];
  if (interpreter && !isExecutable(interpreter)) return `its first line names "${interpreter}", which is not there`;
  return undefined;
}
