import { loadProgram } from '../../client/program-bundle.ts';
import { failure } from '../../shared/errors.ts';
import { homePaths, installed } from '../../shared/paths.ts';
import { type Command, jsonOption } from '../command.ts';
import { printPainted } from '../print.ts';
import { renderExamination } from '../render/findings.ts';

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
