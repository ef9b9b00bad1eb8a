// The runtime settings of this process: those that it was given at its start, then each version that the daemon sends. They are kept as
// text, also if the app has not loaded the library `nsv/app` yet, which reads them when the app asks.
import { closeSync, readSync } from 'node:fs';
import type { HeldSettings, SettingsListener } from '../ipc/app/bridge.ts';
import type { DownMessage } from '../ipc/worker-messages.ts';
import { send } from './channel.ts';

type SettingsMessage = Extract<DownMessage, { type: 'settings' | 'settings-proposed' }>;

let held: HeldSettings = { version: 0, values: '{}' };
let app: SettingsListener | undefined;

/** Reads what the daemon has written into a pipe. `words`: its descriptor, the number of bytes, and the version. */
export function readInitialSettings(words: string | undefined): void {
  if (!words) return;
  const [fd = -1, length = 0, version = 0] = words.split(':').map(Number);
  try {
    const bytes = Buffer.alloc(length);
    let at = 0;
    for (let read = 1; at < length && read > 0; at += read) read = readSync(fd, bytes, at, length - at, null);
    closeSync(fd);
    if (at === length) held = { version, values: bytes.toString() };
  } catch {
    // The daemon has died at this moment. The next one sends them.
  }
}

export function isAboutSettings(message: DownMessage): message is SettingsMessage {
  return message.type === 'settings' || message.type === 'settings-proposed';
}

export function onSettings(message: SettingsMessage): void {
  if (message.type === 'settings-proposed') {
    const { proposal } = message;
    const vote = (reason?: string) =>
      send({ type: 'settings-vote', proposal, ...(reason !== undefined && { reason }) });
    if (app) app.check(message.values, vote);
    else vote();
    return;
  }
  const { version, values } = message;
  const isNew = version !== held.version || values !== held.values;
  held = { version, values };
  reportSettings();
  if (isNew) app?.changed();
}

export function reportSettings(): void {
  send({ type: 'settings-held', version: held.version });
}

export function heldSettings(): HeldSettings {
  return held;
}

export function listenToSettings(listener: SettingsListener): void {
  app = listener;
}
