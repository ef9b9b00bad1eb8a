// The daemon that is to replace this one, while it is on trial.
import { hasProc, type Identity, isSameProcess, startTimeOf } from '../../../os/proc.ts';
import { sleepSync } from '../../../os/sleep-sync.ts';
import { isAlive, killGroup, sendSignal } from '../../../os/terminate.ts';
import { realClock } from '../../../shared/clock.ts';
import { detailOf } from '../../../shared/errors.ts';
import { lastWords } from '../../../shared/launch-log.ts';
import type { HomePaths } from '../../../shared/paths.ts';
import { type Program, type SuccessorProcess, spawnSuccessor } from '../../launch/successor-process.ts';
import type { HandOverState, ToPredecessor, ToSuccessor } from './messages.ts';
import type { SharedHandle } from './source.ts';

/** Why the candidate cannot take over, in words for people. */
export class HandOverError extends Error {
  readonly output: string[];

  constructor(reason: string, output: string[] = []) {
    super(reason);
    this.output = output;
  }
}

export class Candidate {
  readonly #child: SuccessorProcess;
  readonly #paths: HomePaths;
  readonly #numbers = new Map<SharedHandle, number>();
  #onMessage: (message: ToPredecessor) => void = () => {};
  #reject: (error: HandOverError) => void = () => {};
  #failure: HandOverError | undefined;
  #who: Identity | undefined;

  /** Throws HandOverError. */
  constructor(paths: HomePaths, program: Program) {
    this.#paths = paths;
    try {
      this.#child = spawnSuccessor(paths, program);
    } catch (error) {
      throw new HandOverError(`the new daemon could not be started: ${detailOf(error)}`);
    }
    this.#child.on('message', (message: ToPredecessor) => this.#onMessage(message));
    this.#child.on('error', (error) =>
      this.#failed(new HandOverError(`the new daemon could not be started: ${error.message}`)),
    );
    this.#child.on('exit', (code, signal) => this.#failed(this.#ended(code, signal)));
  }

  /** Rejects with HandOverError, also if the candidate has not booted within `timeout` ms. */
  async booted(timeout: number): Promise<Extract<ToPredecessor, { type: 'booted' }>> {
    const booted = await this.#answer(timeout, 'boot', (message) => (message.type === 'booted' ? message : undefined));
    this.#who = { pid: booted.pid, startTime: startTimeOf(booted.pid) };
    return booted;
  }

  /** Rejects with HandOverError. */
  async check(state: HandOverState, timeout: number): Promise<void> {
    const proven = this.#answer(timeout, 'load the state', (message) => {
      if (message.type === 'unable') throw new HandOverError(message.reason);
      return message.type === 'able' || undefined;
    });
    this.#send({ type: 'state', handOver: state });
    await proven;
  }

  /** Sends the candidate a handle, unless it already has it; returns the number of the handle. */
  give(handle: SharedHandle): number {
    const number = this.#numbers.get(handle) ?? this.#numbers.size;
    if (!this.#numbers.has(handle)) this.#send({ type: 'handle', number }, handle);
    this.#numbers.set(handle, number);
    return number;
  }

  /** Sends the final message. It is written when this returns: nothing else is on its way. */
  commit(): void {
    this.#send({ type: 'take' });
  }

  /** Checks the process itself: while this daemon blocks, no event reports the candidate's end. */
  get isThere(): boolean {
    const who = this.#who;
    return who !== undefined && (hasProc ? isSameProcess(who) : isAlive(who.pid));
  }

  /** Kills the candidate and its guard at once. Returns when the candidate is gone, or after a second. */
  kill(): void {
    // The guard leads their process group and is our child: until its exit is reported, no other process gets its pid.
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) killGroup(pid);
    // If the guard was killed, only the daemon is left.
    else if (this.#who) sendSignal(this.#who, 'SIGKILL');
    const deadline = realClock.now() + 1_000;
    while (this.isThere && realClock.now() < deadline) sleepSync(1);
  }

  #send(message: ToSuccessor, handle?: SharedHandle): void {
    // Node can send bare handles as well as the objects it makes of them, but its types know only the latter.
    this.#child.send(message, handle as Parameters<SuccessorProcess['send']>[1], () => {});
  }

  #answer<T>(timeout: number, action: string, read: (message: ToPredecessor) => T | undefined): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const cancel = realClock.after(timeout, () =>
        reject(
          new HandOverError(
            `the new daemon did not ${action} within ${timeout / 1_000} s`,
            lastWords(this.#paths.launchLog).output,
          ),
        ),
      );
      this.#reject = (error) => {
        cancel();
        reject(error);
      };
      if (this.#failure) this.#reject(this.#failure);
      this.#onMessage = (message) => {
        try {
          const found = read(message);
          if (found === undefined) return;
          cancel();
          resolve(found);
        } catch (error) {
          this.#reject(error as HandOverError);
        }
      };
    });
  }

  #failed(error: HandOverError): void {
    this.#failure ??= error;
    this.#reject(this.#failure);
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): HandOverError {
    const { reason, output } = lastWords(this.#paths.launchLog);
    const how = signal ? `the new daemon was killed by ${signal}` : `the new daemon exited with code ${code}`;
    return new HandOverError(reason ? `${how}: ${reason}` : how, output);
  }
}
