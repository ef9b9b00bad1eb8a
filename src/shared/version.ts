// The version of this build, for the handshake between command line and daemon.
import pkg from '../../package.json' with { type: 'json' };

export const version: string = pkg.version;

/** Incremented when the meaning of a message changes. Both ends send theirs in the greeting. */
export const protocolVersion = 2;
