import { loadProgram } from '../../client/program-bundle.ts';
import { failure } from '../../shared/errors.ts';
import { homePaths, installed } from '../../shared/paths.ts';
import { type Command, jsonOption } from '../command.ts';
import { printJson } from '../print.ts';
import { renderExamination } from '../render/findings.ts';
import { loadPaint } from '../render/paint.ts';

export const doctor: Command = {
  summary: 'says what is wrong with the nsv home, its daemon and its apps, and what to do',
  notes: `Changes nothing and launches nothing; works without a daemon, and with one that hangs. Exit code 9 when there is a
problem; advice alone is 0. What is looked at: docs/doctor.md.`,
  options: [jsonOption],
  examples: [
    ['nsv doctor', 'findings with remedies'],
    ['nsv doctor --json | jq -r ".findings[].code"', 'for programs'],
  ],
  async run({ out }) {
    const examination = await loadProgram<typeof import('../../doctor/main.ts')>(installed.doctor).examine(homePaths());
    if (out.json) printJson(out, examination);
    else out.write(renderExamination(examination, await loadPaint(out.terminal.colour)));
    const problems = examination.findings.filter(({ level }) => level === 'problem').length;
    if (problems > 0) throw failure('UNWELL', { home: examination.home, problems });
  },
};
