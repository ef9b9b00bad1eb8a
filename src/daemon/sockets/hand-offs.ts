// Numbers of connections that are handed to processes: unique within the daemon, so that an acknowledgement identifies one.
let last = 0;

export function nextHandOff(): number {
  last += 1;
  return last;
}
