import { loadProgram } from '../../client/program-bundle.ts';
import { failure } from '../../shared/errors.ts';
import type { Examination, Finding } from '../../shared/findings.ts';
import { homePaths, installed } from '../../shared/paths.ts';
import { type Command, jsonOption } from '../command.ts';
import { printPainted } from '../print.ts';
import type { Paint, Tone } from '../render/paint.ts';
import { printable } from '../render/text.ts';

export const doctor: Command = {
  summary: 'checks the nsv home, the daemon and the apps, and suggests fixes',
  notes: `Only reads: it changes nothing and launches no daemon. Works without a daemon and with one that hangs. The exit code is 9 when
it finds a problem, and 0 when it only has advice.`,
  options: [jsonOption],
  examples: [
    ['nsv doctor', 'problems, each with a fix'],
    ['nsv doctor --json | jq -r ".findings[].code"', 'codes of the findings'],
  ],
  async run({ out }) {
    const examination = await loadProgram<typeof import('../../doctor/main.ts')>(installed.doctor).examine(homePaths());
    await printPainted(out, examination, (paint) => renderExamination(examination, paint));
    const problems = examination.findings.filter(({ level }) => level === 'problem').length;
    if (problems > 0) throw failure('PROBLEMS_FOUND', { home: examination.home, problems });
  },
};

const tones: Record<Finding['level'], Tone> = { problem: 'bad', advice: 'warning' };
const width = Math.max(...Object.keys(tones).map((level) => level.length)) + 2;

/** The most severe first, each with its remedy. */
export function renderExamination({ findings, looked }: Examination, paint: Paint): string {
  const levels = Object.keys(tones) as Finding['level'][];
  const ordered = levels.flatMap((level) => findings.filter((finding) => finding.level === level));
  const texts = ordered.map((finding) => renderFinding(finding, paint));
  const verdict = findings.length === 0 ? paint('good', 'no problems found') : paint('faint', 'checked');
  return [...texts, `${verdict}: ${looked.map(printable).join('; ')}`].join('\n');
}

function renderFinding({ level, what, remedy }: Finding, paint: Paint): string {
  const indent = ' '.repeat(width);
  return `${paint(tones[level], level.padEnd(width))}${printable(what)}\n${indent}${paint('faint', printable(remedy))}`;
}
