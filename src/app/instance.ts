// Who this process is.
import type { Instance } from '../../app/index.cjs';
import { bridge } from './bridge.ts';

const { NSV_APP: app, NSV_INSTANCE: slot, NSV_ID: id, NSV_RELEASE: release } = process.env;

/** As they are now: the app may have read them from a file. */
export function variables(): NodeJS.ProcessEnv {
  return process.env;
}

export const instance: Instance = {
  app: app ?? null,
  slot: Number(slot ?? 0),
  id: id === undefined ? null : Number(id),
  release: release ?? null,
  // Asked for later: whoever only imports the library needs no bridge.
  get instances() {
    return bridge()?.instances ?? 1;
  },
};
