// The words for what is wrong with an app although it may run.
import { renderDuration } from '../../shared/units.ts';
import type { ProblemView } from '../views.ts';

/** As a status has it: `reload failed 3s ago`, `watch problem`. */
export function problemWord({ about, ago }: ProblemView): string {
  return about === 'reload' ? `reload failed ${renderDuration(ago)} ago` : `${about} problem`;
}

/** `watch problem: /srv/app/logs changes whenever the app starts` */
export function problemText(problem: ProblemView): string {
  return `${problemWord(problem)}: ${problem.detail}`;
}

/** The detail, which often names the file itself. */
export function withFile(detail: string, file: string | undefined): string {
  const isNamed = file === undefined || detail.startsWith(file) || detail.includes(`'${file}'`);
  return isNamed ? detail : `${file}: ${detail}`;
}
