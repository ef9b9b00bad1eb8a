// `--listen-each`: this process listens on a port of its own, instead of the one that its app names.

let own: number | undefined;
let named: number | undefined;

export function listenInsteadOn(port: number): void {
  own = port;
}

/** Where to listen instead of `port`. Of an app with several ports, only the one that it names first is replaced. */
export function portInsteadOf(port: number): number {
  // The system chooses for 0, and each process gets another one anyway.
  if (own === undefined || port === 0) return port;
  named ??= port;
  return port === named ? own : port;
}
