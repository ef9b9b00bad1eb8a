// Colours by meaning, and their appearance.
import type { ChalkInstance } from 'chalk';

export type Tone = 'key' | 'good' | 'warning' | 'bad' | 'faint' | 'chosen' | 'plain' | Hue;
type Hue = (typeof hues)[number];
/** Colours without a meaning, to distinguish things. Red is reserved for errors. */
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

/** Loads chalk only if colours are used. */
export async function loadPaint(colour: boolean): Promise<Paint> {
  if (!colour) return (_, text) => text;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return (tone, text) => looks[tone](chalk)(text);
}
