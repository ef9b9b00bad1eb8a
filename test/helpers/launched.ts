// Programs started by the real spawner, with everything they leave behind ended after the test.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AppSettings, parseAppSpec } from '../../src/config/app-spec.ts';
import type { Child, LaunchPlan } from '../../src/daemon/launch/launcher.ts';
import { createSpawner } from '../../src/daemon/launch/spawn.ts';
import type { Exit } from '../../src/ipc/views.ts';
import { type Identity, readStat } from '../../src/os/proc.ts';
import { sendSignal } from '../../src/os/terminate.ts';
import { treeOf } from '../../src/os/tree.ts';
import { eventually } from './eventually.ts';

export const fixture = (name: string) => join(import.meta.dirname, '..', 'fixtures', 'apps', name);
export const { launch } = createSpawner({ preload: () => fixture('preload.cjs') });

export interface Launched {
  child: Child;
  /** What it wrote to both log files so far. */
  output(): string;
  /** Resolves with the first match in its output. */
  prints(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<Exit>;
  messages: { message: unknown; internal: boolean }[];
}

/** A directory of its own for one test file. */
export class Stage {
  readonly directory = mkdtempSync(join(tmpdir(), 'nsv-launched-'));
  readonly #launched: Child[] = [];
  #known: Identity[] = [];
  #count = 0;

  plan(settings: AppSettings, rest: Partial<LaunchPlan> = {}): LaunchPlan {
    this.#count += 1;
    const env = { PATH: process.env.PATH ?? '', HOME: this.directory };
    return {
      spec: parseAppSpec({ name: 'app', cwd: this.directory, env, ...settings }),
      id: 7,
      slot: 2,
      outFile: join(this.directory, `${this.#count}-out.log`),
      errorFile: join(this.directory, `${this.#count}-err.log`),
      sockets: [],
      ...rest,
    };
  }

  launch(plan: LaunchPlan): Launched {
    const messages: Launched['messages'] = [];
    let resolve: (exit: Exit) => void = () => {};
    const ended = new Promise<Exit>((settle) => {
      resolve = settle;
    });
    const child = launch(plan, {
      exited: resolve,
      message: (message, internal) => messages.push({ message, internal }),
      cutOff: () => {},
    });
    this.#launched.push(child);
    const output = () => [plan.outFile, plan.errorFile].map((file) => readFileSync(String(file), 'utf8')).join('');
    let hasEnded = false;
    void ended.then(() => {
      hasEnded = true;
    });
    const look = (pattern: RegExp) => {
      const mayHaveMore = !hasEnded;
      const match = pattern.exec(output());
      if (match || mayHaveMore) return match;
      throw new Error(`it ended and printed only:\n${output()}`);
    };
    return { child, output, ended, messages, prints: (pattern) => eventually(() => look(pattern)) };
  }

  /** A shell script of the fixtures. */
  script(name: string): Launched {
    return this.launch(this.plan({ script: fixture(name), interpreter: '/bin/sh' }));
  }

  /** To be ended with the rest, though no longer to be found from its root. */
  remember(members: Identity[]): void {
    this.#known = [...this.#known, ...members];
  }

  async end(): Promise<void> {
    const members = this.#launched.flatMap((child) => treeOf(child, this.#known));
    signalAll(members, 'SIGKILL');
    // Until they are dead, they may make another file in the directory.
    await eventually(() => !members.some(({ pid }) => readStat(pid)?.alive));
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }
}

/** Signals each of them that is still the one meant. */
export function signalAll(members: readonly Identity[], name: NodeJS.Signals): void {
  for (const member of members) sendSignal(member, name);
}
