// The moments at which a daemon can die while it writes its state (src/daemon/state/store.ts), by the calls that lie around them.
import type { Moment } from './falling-daemon.ts';

export const writeSteps: Record<string, Moment> = {
  drafting: { call: 'open', word: 'state.json.tmp' },
  drafted: { call: 'fsync', word: 'state.json.tmp' },
  synced: { call: 'remove', word: 'state.json.1' },
  parted: { call: 'remove', word: 'state.json.1', after: true },
  kept: { call: 'rename', word: 'state.json.tmp' },
  renamed: { call: 'rename', word: 'state.json.tmp', after: true },
};
