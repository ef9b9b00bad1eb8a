// Where the processes of a group listen, by key, with what people are shown.
import { workerLimits } from '../../ipc/limits.ts';
import type { Child } from '../launch/launcher.ts';
import { isPortChosen } from './bind-request.ts';

export interface Places {
  /** `3000`, `127.0.0.1:3000`, `/run/x.sock`, `udp:5353`. */
  named: string[];
  /** Those whose port the system has chosen. */
  chosen: string[];
}

export class Listening {
  readonly #keys = new Map<Child, Map<string, string>>();

  /** False if the process listens in as many places as it may. */
  began(child: Child, key: string, text: string): boolean {
    const texts = this.#keys.get(child) ?? new Map<string, string>();
    if (texts.size >= workerLimits.sockets) return false;
    texts.set(key, text);
    this.#keys.set(child, texts);
    return true;
  }

  closed(child: Child, key: string): void {
    this.#keys.get(child)?.delete(key);
  }

  gone(child: Child): void {
    this.#keys.delete(child);
  }

  has(child: Child, key: string): boolean {
    return this.#keys.get(child)?.has(key) === true;
  }

  /** Whether any process listens on the socket. */
  isServed(key: string): boolean {
    return [...this.#keys.values()].some((texts) => texts.has(key));
  }

  addressesOf(child: Child): string[] {
    return [...new Set(this.#keys.get(child)?.values())];
  }

  placesOf(child: Child): Places {
    const all = [...(this.#keys.get(child) ?? [])];
    const texts = (isChosen: boolean) => all.filter(([key]) => isPortChosen(key) === isChosen).map(([, text]) => text);
    return { named: texts(false), chosen: texts(true) };
  }
}
