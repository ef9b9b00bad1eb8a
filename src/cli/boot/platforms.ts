// The supported init systems: the location of the service file, and the commands to run.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../../shared/errors.ts';
import { renderPropertyList } from './launchd.ts';
import { renderServiceScript } from './openrc.ts';
import type { BootService } from './service.ts';
import { renderSystemUnit, renderUserUnit } from './systemd.ts';

type Command = readonly [program: string, ...args: string[]];

export interface Platform {
  file(service: BootService): string;
  mode: number;
  render(service: BootService): string;
  /** A service of the user: it needs no root and cannot run as another user. */
  isOfUser?: true;
  /** Commands to run after the file is written. */
  enable(name: string): Command[];
  /** Commands to run before the file is removed. */
  disable(name: string): Command[];
  /** Commands to run after the file is removed. */
  forget: Command[];
  /** The command to start the service now, without a reboot. */
  start(name: string, file: string): string;
  /** Anything else that the user must do. */
  notice?: string;
}

const unit = (name: string) => `${name}.service`;

export const platforms = {
  systemd: {
    file: ({ name }) => `/etc/systemd/system/${unit(name)}`,
    mode: 0o644,
    render: renderSystemUnit,
    enable: (name) => [
      ['systemctl', 'daemon-reload'],
      ['systemctl', 'enable', unit(name)],
    ],
    disable: (name) => [['systemctl', 'disable', unit(name)]],
    forget: [['systemctl', 'daemon-reload']],
    start: (name) => `sudo systemctl start ${unit(name)}`,
  },
  'systemd-user': {
    file: ({ name, directory }) => join(directory, '.config', 'systemd', 'user', unit(name)),
    mode: 0o644,
    render: renderUserUnit,
    isOfUser: true,
    enable: (name) => [
      ['systemctl', '--user', 'daemon-reload'],
      ['systemctl', '--user', 'enable', unit(name)],
    ],
    disable: (name) => [['systemctl', '--user', 'disable', unit(name)]],
    forget: [['systemctl', '--user', 'daemon-reload']],
    start: (name) => `systemctl --user start ${unit(name)}`,
    notice: 'To start at boot rather than at login, and to keep running after logout: loginctl enable-linger',
  },
  launchd: {
    file: ({ name }) => `/Library/LaunchDaemons/${name}.plist`,
    mode: 0o644,
    render: renderPropertyList,
    // launchd starts every property list in its directory, so no command is needed.
    enable: () => [],
    disable: () => [],
    forget: [],
    start: (_name, file) => `sudo launchctl bootstrap system ${file}`,
  },
  openrc: {
    file: ({ name }) => `/etc/init.d/${name}`,
    mode: 0o755,
    render: renderServiceScript,
    enable: (name) => [['rc-update', 'add', name, 'default']],
    disable: (name) => [['rc-update', 'del', name, 'default']],
    forget: [],
    start: (name) => `sudo rc-service ${name} start`,
  },
} satisfies Record<string, Platform>;

export type PlatformName = keyof typeof platforms;

const platformNames = Object.keys(platforms) as PlatformName[];

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
