// Waits for conditions, which are checked again after each change.

export class Waiters {
  readonly #checks = new Set<() => void>();

  changed(): void {
    for (const check of this.#checks) check();
  }

  /** Resolves with the first value that `look` finds, now or after a later change. */
  until<T>(look: () => T | undefined, abort?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#checks.delete(check);
        abort?.removeEventListener('abort', aborted);
      };
      const aborted = () => {
        done();
        reject(abort?.reason);
      };
      const check = () => {
        const found = look();
        if (found === undefined) return;
        done();
        resolve(found);
      };
      if (abort?.aborted) return reject(abort.reason);
      abort?.addEventListener('abort', aborted);
      this.#checks.add(check);
      check();
    });
  }
}
