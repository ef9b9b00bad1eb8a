// What this build is, for the handshake between command line and daemon.
import pkg from '../../package.json' with { type: 'json' };

export const version: string = pkg.version;

/** Raised when a message changes its meaning; both ends say theirs in the greeting. */
export const protocolVersion = 1;
