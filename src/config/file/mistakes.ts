// All that is wrong with one config file: gathered first, told at once.
import { failure } from '../../shared/errors.ts';

/** Where something stands in a config file: `['apps', 0, 'script']`. */
export type Path = readonly (string | number)[];

/** A mistake that makes it pointless to look for others: the file cannot be read. */
export class Unreadable extends Error {
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

export class Mistakes {
  /** As the user calls the file; undefined for an object that a program has given. */
  readonly #file: string | undefined;
  readonly #lineOf: (path: Path) => number | undefined;
  readonly #found: { line: number; text: string }[] = [];

  constructor(file: string | undefined, lineOf: (path: Path) => number | undefined = () => undefined) {
    this.#file = file;
    this.#lineOf = lineOf;
  }

  /** `text` completes the name of what stands there. */
  add(path: Path, text: string): void {
    this.addAt(this.#lineOf(path), [pathText(path), text].filter((part) => part !== '').join(' '));
  }

  addAt(line: number | undefined, text: string): void {
    const inOneLine = text.replace(/\s*\n\s*/g, ' ');
    const place = line === undefined ? this.#file : `${this.#file}:${line}`;
    this.#found.push({ line: line ?? 0, text: place === undefined ? inOneLine : `${place}: ${inOneLine}` });
  }

  /** Throws BAD_CONFIG (BAD_APP without a file) with all that was found, in the order of the lines. */
  throwIfAny(): void {
    if (this.#found.length === 0) return;
    const details = this.#found.sort((one, other) => one.line - other.line).map(({ text }) => text);
    if (this.#file === undefined) throw failure('BAD_APP', { problems: details });
    throw failure('BAD_CONFIG', { file: this.#file, mistakes: details.length }, { details });
  }
}

/** `apps[0].script` */
function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}
