// The version of this build, for the handshake between command line and daemon.
import pkg from '../../package.json' with { type: 'json' };

export const version: string = pkg.version;

declare const NSV_BUILD: string | undefined;

/** Tells builds of the same version apart (scripts/build.mjs). Empty if this runs from source. */
export const build: string = typeof NSV_BUILD === 'string' ? NSV_BUILD : '';

/** Incremented when the meaning of a message changes. Both ends send theirs in the greeting. */
export const protocolVersion = 2;
