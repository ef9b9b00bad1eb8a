// Settings that change while the app runs: `nsv config`.
import type { Settings, SettingsChange, SettingValues } from '../../app/index.cjs';
import { bridge, declareCapabilities } from './bridge.ts';
import { shared } from './shared.ts';

type Handler = (values: SettingValues, change: SettingsChange) => void;
type Check = (values: SettingValues, current: SettingValues) => unknown;

interface State {
  version: number;
  values: SettingValues;
  handlers: Set<Handler>;
  checks: Set<Check>;
}

/** Milliseconds for a check that returns a promise. The daemon waits longer: src/daemon/in-app/runtime-settings.ts. */
const timeout = 2_000;

const state = () => shared('settings', create);

export const settings: Settings = {
  get version() {
    return state().version;
  },
  get(key?: string) {
    const { values } = state();
    if (key === undefined) return values;
    return Object.hasOwn(values, key) ? values[key] : undefined;
  },
  on(event, handler) {
    expectChange(event);
    state().handlers.add(handler);
    return settings;
  },
  off(event, handler) {
    expectChange(event);
    state().handlers.delete(handler);
    return settings;
  },
  check(check) {
    const { checks } = state();
    checks.add(check);
    declareCapabilities({ checks: true });
    return () => {
      checks.delete(check);
      if (checks.size === 0) declareCapabilities({ checks: false });
    };
  },
} as Settings;

function create(): State {
  const own: State = { version: 0, values: Object.freeze({}), handlers: new Set(), checks: new Set() };
  const source = bridge()?.settings;
  if (!source) return own;
  const read = () => {
    const { version, values } = source.held();
    Object.assign(own, { version, values: parsed(values) });
  };
  read();
  source.listen({
    check(text, vote) {
      const { checks, values } = own;
      const proposed = parsed(text);
      Promise.all([...checks].map((check) => objection(check, proposed, values)))
        .then((reasons) => vote(reasons.find((reason) => reason !== undefined)))
        // `vote` writes to the channel and does not throw.
        .catch(() => {});
    },
    changed() {
      const before = own.values;
      read();
      const { version, values, handlers } = own;
      const keys = [...new Set([...Object.keys(before), ...Object.keys(values)])];
      const changed = keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(values[key]));
      // Each in a turn of its own, so that one that throws fails as any other code of the app, and keeps no other from its turn.
      for (const handler of handlers) process.nextTick(handler, values, { version, keys: changed, before });
    },
  });
  return own;
}

/** Why a check rejects the values; undefined if it does not. */
async function objection(check: Check, values: SettingValues, current: SettingValues): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`a check did not finish within ${timeout / 1_000} s`)), timeout);
    timer.unref();
  });
  try {
    const result = await Promise.race([check(values, current), late]);
    return result === false ? 'a check returned false' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Frozen, because all parts of the app share it. */
function parsed(text: string): SettingValues {
  return JSON.parse(text, (_, value) => Object.freeze(value)) as SettingValues;
}

function expectChange(event: string): void {
  if (event !== 'change') throw new TypeError(`settings have no event ${JSON.stringify(event)}: there is "change"`);
}
