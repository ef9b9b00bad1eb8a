// Colours by meaning, and what each looks like.
import type { ChalkInstance } from 'chalk';

export type Tone = 'key' | 'good' | 'warning' | 'bad' | 'faint' | 'chosen' | 'plain' | Hue;
type Hue = (typeof hues)[number];
/** They mean nothing, but tell things apart. Red is left to what is bad. */
export const hues = ['cyan', 'green', 'magenta', 'blue', 'yellow'] as const;

export type Paint = (tone: Tone, text: string) => string;

const looks: Record<Tone, (chalk: ChalkInstance) => (text: string) => string> = {
  key: (chalk) => chalk.cyan.bold,
  good: (chalk) => chalk.green,
  warning: (chalk) => chalk.yellow,
  bad: (chalk) => chalk.red,
  faint: (chalk) => chalk.gray,
  chosen: (chalk) => chalk.inverse,
  plain: () => (text) => text,
  cyan: (chalk) => chalk.cyan,
  green: (chalk) => chalk.green,
  magenta: (chalk) => chalk.magenta,
  blue: (chalk) => chalk.blue,
  yellow: (chalk) => chalk.yellow,
};

/** Chalk is loaded only for colours. */
export async function loadPaint(colour: boolean): Promise<Paint> {
  if (!colour) return (_, text) => text;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return (tone, text) => looks[tone](chalk)(text);
}
