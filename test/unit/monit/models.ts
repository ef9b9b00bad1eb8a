// A screen without a terminal: what happens to it, and what it shows then.
import type { ProcessView } from '../../../src/ipc/views.ts';
import type { ScreenEffect } from '../../../src/monit/actions.ts';
import type { LogEntry } from '../../../src/monit/log-book.ts';
import { initialModel, type Model, type Size } from '../../../src/monit/model.ts';
import { renderScreen } from '../../../src/monit/render/screen.ts';
import { type ScreenEvent, updateModel } from '../../../src/monit/update.ts';
import { processView } from '../cli/fake-context.ts';

export class Stage {
  model: Model;
  readonly effects: ScreenEffect[] = [];
  #number = 0;

  constructor(size: Partial<Size> = {}) {
    this.model = initialModel({ columns: 80, rows: 24, ...size });
  }

  happens(event: ScreenEvent): this {
    const { model, effect } = updateModel(this.model, event);
    this.model = model;
    if (effect) this.effects.push(effect);
    return this;
  }

  lists(...processes: ProcessView[]): this {
    return this.happens({ type: 'listed', processes });
  }

  presses(...keys: string[]): this {
    for (const key of keys) this.happens({ type: 'pressed', key });
    return this;
  }

  /** The process prints these lines. */
  prints(id: number, ...texts: string[]): this {
    return this.happens({ type: 'logged', entries: texts.map((text) => this.entry(id, text)) });
  }

  entry(id: number, text: string, stream: 'out' | 'err' = 'out'): LogEntry {
    this.#number += 1;
    const { name, slot, outFile, errorFile } = instance(id);
    return { id, name, slot, stream, file: (stream === 'out' ? outFile : errorFile)!, number: this.#number, text };
  }

  /** Without colours, and without blanks at the ends. */
  get screen(): string[] {
    return renderScreen(this.model, (_, text) => text).map((row) => row.trimEnd());
  }

  /** The texts of the log lines that are shown. */
  get logs(): string[] {
    return this.screen.flatMap((row) => /[|!] (.*)$/.exec(row)?.[1] ?? []);
  }
}

/** An instance of an app called web. */
export function instance(id: number, changes: Partial<ProcessView> = {}): ProcessView {
  return processView({
    id,
    slot: id,
    pid: 100 + id,
    outFile: `/logs/web-${id}-out.log`,
    errorFile: `/logs/web-${id}-err.log`,
    ...changes,
  });
}

export const instances = (count: number) => Array.from({ length: count }, (_, id) => instance(id));
export const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);
