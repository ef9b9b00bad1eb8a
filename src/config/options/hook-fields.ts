// Commands that nsv runs when something happens to an app: rows of the option table.
import type { Field } from './fields.ts';
import { optional, text } from './parsers.ts';

const field = <T>(row: Field<T>): Field<T> => row;

export const hookFields = {
  onGiveup: field({
    flag: '--on-giveup <command>',
    doc: 'shell command to run on giving up; gets NSV_REASON and NSV_LAST_ERROR',
    parse: optional(text),
    default: undefined,
  }),
  onDeath: field({
    flag: '--on-death <command>',
    doc: 'shell command to run when a process has died; gets the record as JSON on standard input',
    parse: optional(text),
    default: undefined,
  }),
};
