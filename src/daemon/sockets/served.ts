// Where the processes of an app listen, compared with each other.
//
// They are compared by number first: a process that listens in as many places as another has moved, if the places differ.
import { renderAddress } from '../../os/address.ts';
import type { Child } from '../launch/launcher.ts';
import { isPortChosen } from './bind-request.ts';
import type { Listening } from './listening.ts';
import type { SocketEntry, SocketTable } from './socket-table.ts';

export class Served {
  readonly #table: Pick<SocketTable, 'entries'>;
  readonly #listening: Pick<Listening, 'at'>;

  constructor(table: Pick<SocketTable, 'entries'>, listening: Pick<Listening, 'at'>) {
    this.#table = table;
    this.#listening = listening;
  }

  /** Where all others serve and the process is still expected, for display. The system chooses another port each time. */
  missing(child: Child, others: readonly Child[]): string[] {
    const { entries } = this.#table;
    const served = entries.filter(({ key }) => others.every((other) => this.#listening.at(other, key)?.isExpected));
    if (others.length === 0 || this.#count(child, entries) >= served.length) return [];
    const missing = served.filter(({ key }) => !isPortChosen(key) && !this.#listening.at(child, key));
    return missing.map(({ socket }) => renderAddress(socket.address));
  }

  /** Whether the process listens in as many places as wait for successors. */
  hasAll(child: Child): boolean {
    const held = this.#table.entries.filter(({ fixed }) => !fixed);
    return this.#count(child, held) >= held.filter(({ isKept }) => isKept).length;
  }

  #count(child: Child, entries: readonly SocketEntry[]): number {
    return entries.filter(({ key }) => this.#listening.at(child, key)?.isExpected).length;
  }
}
