// What keeps an event loop alive, in words.

/** By the names that Node has for them. Others keep their names. */
const words: Record<string, string> = {
  TCPServerWrap: 'listening socket',
  TCPSocketWrap: 'TCP socket',
  TCPWrap: 'TCP socket',
  PipeServerWrap: 'listening Unix socket',
  PipeWrap: 'pipe',
  UDPWrap: 'UDP socket',
  TLSWrap: 'TLS socket',
  TTYWrap: 'terminal',
  Timeout: 'timer',
  Immediate: 'immediate',
  ProcessWrap: 'child process',
  MessagePort: 'message port',
  Worker: 'thread',
  FSReqCallback: 'file operation',
  FSReqPromise: 'file operation',
  FSEventWrap: 'watched file',
  GetAddrInfoReqWrap: 'DNS lookup',
  TCPConnectWrap: 'TCP connection attempt',
};

/** `1 TCP socket, 2 timers`; empty for nothing. The names come from the process, so escape the text where it is printed. */
export function describeResources(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([type, count]) => `${count} ${nameOf(type, count)}`)
    .join(', ');
}

function nameOf(type: string, count: number): string {
  const word = Object.hasOwn(words, type) ? words[type] : undefined;
  if (word === undefined || count === 1) return word ?? type;
  return word.endsWith('process') ? `${word}es` : `${word}s`;
}
