// What each tone looks like.
import { Chalk } from 'chalk';
import type { Paint, Tone } from './paint.ts';

const chalk = new Chalk({ level: 1 });
const tones: Record<Tone, (text: string) => string> = {
  key: chalk.cyan.bold,
  good: chalk.green,
  warning: chalk.yellow,
  bad: chalk.red,
  faint: chalk.gray,
  plain: (text) => text,
};

export const paintColours: Paint = (tone, text) => tones[tone](text);
