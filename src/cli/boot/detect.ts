// Detects the init system of this machine.
import { existsSync } from 'node:fs';
import { failure } from '../../shared/errors.ts';
import { type PlatformName, platformNames, platforms } from './platforms.ts';

/** A path that exists while the init system runs, not only if it is installed (systemd: sd_booted(3)). */
const signs: readonly [sign: string, name: PlatformName][] = [
  ['/run/systemd/system', 'systemd'],
  ['/run/openrc', 'openrc'],
  ['/sbin/openrc-run', 'openrc'],
];

/** `word`: the init system named by the user. Throws BAD_USAGE if it is unknown, NO_INIT_SYSTEM if none is named and none runs. */
export function platformOf(word: string | undefined): PlatformName {
  if (word === undefined) return detected();
  if (Object.hasOwn(platforms, word)) return word as PlatformName;
  throw failure('BAD_USAGE', {
    detail: `"${word}" is not a known init system: use one of ${platformNames.join(', ')}`,
  });
}

function detected(): PlatformName {
  if (process.platform === 'darwin') return 'launchd';
  const [, name] = signs.find(([sign]) => existsSync(sign)) ?? [];
  if (name) return name;
  throw failure('NO_INIT_SYSTEM', {});
}
