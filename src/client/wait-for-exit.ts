// Waits for a daemon that is shutting down.
import type { Connection } from '../ipc/client.ts';
import { realClock } from '../shared/clock.ts';
import { failure } from '../shared/errors.ts';

/** Milliseconds. */
const patience = 10_000;

/** Resolves when the daemon is gone. Rejects with DAEMON_SILENT after 10 s. */
export function waitForExit({ closed }: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    const seconds = patience / 1_000;
    const cancel = realClock.after(patience, () => reject(failure('DAEMON_SILENT', { method: 'kill', seconds })));
    // `closed` never rejects.
    void closed.then(cancel).then(resolve);
  });
}
