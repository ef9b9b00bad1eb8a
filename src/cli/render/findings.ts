// Renders the findings of `nsv doctor`: the most severe first, each with its remedy.
import type { Examination, Finding } from '../../shared/findings.ts';
import type { Paint, Tone } from './paint.ts';
import { printable } from './text.ts';

const tones: Record<Finding['level'], Tone> = { problem: 'bad', advice: 'warning' };
const width = Math.max(...Object.keys(tones).map((level) => level.length)) + 2;

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
