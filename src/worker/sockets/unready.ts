// A process whose ready probe fails: while others accept in its place, its clients are told to connect to them.
import { onDaemonLost } from '../channel.ts';
import { keepClients, redirectClients } from '../servers/away.ts';
import { whenMoved } from './accept-queue.ts';

let isUnready = false;
let isOut = false;
let isWatching = false;

/** Before it is told to leave the accept queue, and after it was told to come back. */
export function beUnready(now: boolean): void {
  isUnready = now;
  watch();
  look();
}

function watch(): void {
  if (isWatching) return;
  isWatching = true;
  whenMoved((moved) => {
    isOut = moved;
    look();
  });
  onDaemonLost(() => {
    isUnready = false;
  });
}

function look(): void {
  if (isUnready && isOut) redirectClients('unready');
  else keepClients('unready');
}
