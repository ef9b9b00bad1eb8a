// Colours by meaning, and what each looks like.
import type { ChalkInstance } from 'chalk';

export type Tone = 'key' | 'good' | 'warning' | 'bad' | 'faint' | 'plain';
export type Paint = (tone: Tone, text: string) => string;

const looks: Record<Tone, (chalk: ChalkInstance) => (text: string) => string> = {
  key: (chalk) => chalk.cyan.bold,
  good: (chalk) => chalk.green,
  warning: (chalk) => chalk.yellow,
  bad: (chalk) => chalk.red,
  faint: (chalk) => chalk.gray,
  plain: () => (text) => text,
};

/** Chalk is loaded only for colours. */
export async function loadPaint(colour: boolean): Promise<Paint> {
  if (!colour) return (_, text) => text;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return (tone, text) => looks[tone](chalk)(text);
}
