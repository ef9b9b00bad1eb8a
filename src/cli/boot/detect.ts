// Which init system has started this machine.
import { existsSync } from 'node:fs';
import { failure } from '../../shared/errors.ts';
import { type PlatformName, platformNames, platforms } from './platforms.ts';

/** Signs of each: that it runs, not only that it is installed (systemd: sd_booted(3)). */
const signs: readonly [sign: string, name: PlatformName][] = [
  ['/run/systemd/system', 'systemd'],
  ['/run/openrc', 'openrc'],
  ['/sbin/openrc-run', 'openrc'],
];

/** `word`: what the user has said. Throws BAD_USAGE, also where nothing was said and nothing is to be seen. */
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
  const known = platformNames.join(', ');
  const detail = `no init system detected: name one of ${known} (a container needs none)`;
  throw failure('BAD_USAGE', { detail });
}
