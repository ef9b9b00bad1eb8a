// Collects all errors of one config file, to report them together.
import { failure } from '../../shared/errors.ts';

/** A location in a config file: `['apps', 0, 'script']`. */
export type Path = readonly (string | number)[];

/** The file cannot be read, so there is no point in checking further. */
export class Unreadable extends Error {
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

export class Mistakes {
  /** The file as the user named it; undefined for an object passed by a program. */
  readonly #file: string | undefined;
  readonly #lineOf: (path: Path) => number | undefined;
  readonly #found: { line: number; text: string }[] = [];

  constructor(file: string | undefined, lineOf: (path: Path) => number | undefined = () => undefined) {
    this.#file = file;
    this.#lineOf = lineOf;
  }

  /** `text` completes a sentence that begins with the path. */
  add(path: Path, text: string): void {
    this.addAt(this.#lineOf(path), [pathText(path), text].filter((part) => part !== '').join(' '));
  }

  addAt(line: number | undefined, text: string): void {
    const inOneLine = text.replace(/\s*\n\s*/g, ' ');
    const place = line === undefined ? this.#file : `${this.#file}:${line}`;
    this.#found.push({ line: line ?? 0, text: place === undefined ? inOneLine : `${place}: ${inOneLine}` });
  }

  /** Throws BAD_CONFIG (BAD_APP without a file) with all errors, sorted by line. */
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
