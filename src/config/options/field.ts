// A row of the option table.
import { booleanFlag as onOrOff, optional, type Parser } from './parsers.ts';

export interface Field<T> {
  parse: Parser<T>;
  /** One line for help and docs. */
  doc: string;
  /** The default value; a row without one is required. */
  default?: NoInfer<T>;
  /** The flag in commander's syntax. `resolve.ts` computes the rows without one. */
  flag?: string;
  /** How the default reads in help, if the value itself does not explain it. */
  shown?: string;
}

export const field = <T>(row: Field<T>): Field<T> => row;

/** A setting that has no value by default. */
export function optionalField<T>({ parse, ...row }: Omit<Field<T>, 'default'>): Field<T | undefined> {
  return { ...row, parse: optional(parse), default: undefined };
}

/** A setting that is on or off; on by default if the flag is `--no-...`. */
export function toggle(flag: string, doc: string): Field<boolean> {
  return { flag, doc, parse: onOrOff, default: flag.startsWith('--no-') };
}
