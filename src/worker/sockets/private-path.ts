// Unix sockets that are not for clients.
import { basename } from 'node:path';

/** One with the pid in its name, as tsx has it, is for processes that this one starts: nobody else can know it. */
export function isPrivatePath(address: string): boolean {
  return address.startsWith('/') && basename(address).split(/\D+/).includes(String(process.pid));
}
