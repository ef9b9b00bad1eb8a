// Renders units for systemd: systemd.service(5), systemd.exec(5), systemd.kill(5).
import { spawnSync } from 'node:child_process';
import { daemonLeaf } from '../../os/cgroups/app-cgroups.ts';
import { successionCode } from '../../shared/daemon-exit.ts';
import { type BootService, generatedMarker, openFiles, restarts, serviceCommand, stopSeconds } from './service.ts';

/** Exit codes after which a restart would fail the same way: the home is taken or unsafe (shared/errors.ts). */
const hopeless = [2, 4];

/** A system unit: started at boot, runs as the given user. */
export function renderSystemUnit(service: BootService): string {
  const { user, home } = service;
  return unit([
    ...head(service),
    '# Apps may connect to other hosts, or listen on a specific address.',
    'Wants=network-online.target',
    'After=network-online.target',
    `RequiresMountsFor=${word(home)}`,
    '',
    '[Service]',
    `User=${user.replaceAll('%', '%%')}`,
    ...daemon(service),
    '',
    '# Ordinary apps do not need these: loading kernel modules, raw hardware access, rebooting, setting the clock.',
    'CapabilityBoundingSet=~CAP_SYS_MODULE CAP_SYS_RAWIO CAP_SYS_BOOT CAP_SYS_TIME',
    '# Optional, depending on your apps. Allow ports below 1024 without root:',
    '#AmbientCapabilities=CAP_NET_BIND_SERVICE',
    '# Disable sudo and other setuid programs for nsv and its apps:',
    '#NoNewPrivileges=yes',
    '# Make /usr, /boot and /etc read-only:',
    '#ProtectSystem=full',
    '# Use a private /tmp. After a crash of the daemon it gets a new one, which running apps do not see:',
    '#PrivateTmp=yes',
    '# Hide all devices except /dev/null and the like:',
    '#PrivateDevices=yes',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ]);
}

/** A unit of the user's own systemd instance. */
export function renderUserUnit(service: BootService): string {
  return unit([...head(service), '', '[Service]', ...daemon(service), '', '[Install]', 'WantedBy=default.target']);
}

function head({ user }: BootService): string[] {
  return [
    `# ${generatedMarker}`,
    '[Unit]',
    `Description=nsv process manager for the apps of ${user.replaceAll('%', '%%')}`,
    `StartLimitIntervalSec=${restarts.within}`,
    `StartLimitBurst=${restarts.most}`,
  ];
}

function daemon(service: BootService): string[] {
  const { node, main, home, path, canNotify, canDelegate } = service;
  return [
    ...(canNotify ? notifying : []),
    `Environment=${word(`NSV_HOME=${home}`)} ${word(`PATH=${path}`)}`,
    `ExecStart=${commandLine(serviceCommand(service))}`,
    '# Returns when all apps are reloaded, and fails if a reload fails.',
    `ExecReload=${commandLine([node, main, 'reload', 'all'])}`,
    '',
    '# Only the daemon gets the stop signal. It stops every app with its own signal and kill timeout, and exits with 0.',
    '# If the daemon crashes, the apps keep running and the next one adopts them ("mixed" and "control-group" would kill them).',
    'KillMode=process',
    `TimeoutStopSec=${stopSeconds}`,
    'Restart=on-failure',
    `# ${successionCode}: restart to update the daemon. ${hopeless.join(', ')}: another attempt would fail in the same way.`,
    `RestartForceExitStatus=${successionCode}`,
    `RestartPreventExitStatus=${hopeless.join(' ')}`,
    '',
    '# When one app runs out of memory, keep the others.',
    'OOMPolicy=continue',
    'TasksMax=infinity',
    ...(canDelegate ? delegation : []),
    `LimitNOFILE=${openFiles}`,
  ];
}

/** The first version of systemd that knows `DelegateSubgroup=`. Without it, systemd could not start another daemon. */
export const delegating = 254;

const delegation = [
  '# Lets nsv limit apps (--cpu, --memory, --pids).',
  'Delegate=yes',
  `DelegateSubgroup=${daemonLeaf}`,
];

const notifying = [
  '# Started when all saved apps are up. The message comes from systemd-notify, a child of the daemon.',
  'Type=notify',
  'NotifyAccess=all',
  '# Each app has its own limit (--listen-timeout).',
  'TimeoutStartSec=infinity',
];

function unit(lines: string[]): string {
  return `${lines.join('\n')}\n`;
}

/** `$` starts a variable in the arguments, but not in the program. */
function commandLine([program, ...args]: [string, ...string[]]): string {
  return [word(program), ...args.map((arg) => word(arg).replaceAll('$', '$$$$'))].join(' ');
}

/** Quotes one word: quotes and backslashes work as in C, and `%` starts a specifier. */
function word(text: string): string {
  const escaped = text.replaceAll('%', '%%').replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
  return /[^\w./=:@%+,-]/.test(escaped) || escaped === '' ? `"${escaped}"` : escaped;
}

/** The version of systemd, which decides what its units may contain. Undefined without systemd. */
export function systemdVersion(): number | undefined {
  const { stdout } = spawnSync('systemctl', ['--version'], { encoding: 'utf8', timeout: 5_000 });
  // The first line is `systemd 254 (254.5-1)`.
  const [, version] = /^systemd (\d+)/.exec(stdout ?? '') ?? [];
  return version === undefined ? undefined : Number(version);
}
