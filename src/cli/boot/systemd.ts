// Units of systemd: systemd.service(5), systemd.exec(5), systemd.kill(5). Pure.
import { successionCode } from '../../shared/daemon-exit.ts';
import { type BootService, generatedMarker, openFiles, restarts, serviceCommand, stopSeconds } from './service.ts';

/** Exit codes after which another attempt would end the same: the home is taken or unsafe (shared/errors.ts). */
const hopeless = [2, 4];

/** Of the system: started at boot, runs as its user. */
export function renderSystemUnit(service: BootService): string {
  const { user, home } = service;
  return unit([
    ...head(service),
    '# Apps may want to reach others, or to listen on an address of their own.',
    'Wants=network-online.target',
    'After=network-online.target',
    `RequiresMountsFor=${word(home)}`,
    '',
    '[Service]',
    `User=${user.replaceAll('%', '%%')}`,
    ...daemon(service),
    '',
    '# No app of the usual kind misses these: to load kernel modules, to reach hardware, to boot, to set the clock.',
    'CapabilityBoundingSet=~CAP_SYS_MODULE CAP_SYS_RAWIO CAP_SYS_BOOT CAP_SYS_TIME',
    '# The others depend on your apps, so they are offers. To listen on ports below 1024 without being root:',
    '#AmbientCapabilities=CAP_NET_BIND_SERVICE',
    '# No sudo and no other setuid program below nsv:',
    '#NoNewPrivileges=yes',
    '# /usr, /boot and /etc are read-only:',
    '#ProtectSystem=full',
    '# A /tmp that nobody else sees, and a new one after a crash of the daemon, which its apps do not see:',
    '#PrivateTmp=yes',
    '# No devices but /dev/null and the like:',
    '#PrivateDevices=yes',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ]);
}

/** Of the user's own systemd. */
export function renderUserUnit(service: BootService): string {
  return unit([...head(service), '', '[Service]', ...daemon(service), '', '[Install]', 'WantedBy=default.target']);
}

function head({ user }: BootService): string[] {
  return [
    `# ${generatedMarker}`,
    '[Unit]',
    `Description=nsv, which runs the apps of ${user.replaceAll('%', '%%')}`,
    `StartLimitIntervalSec=${restarts.within}`,
    `StartLimitBurst=${restarts.most}`,
  ];
}

function daemon(service: BootService): string[] {
  const { node, main, home, path, canNotify } = service;
  return [
    ...(canNotify ? notifying : []),
    `Environment=${word(`NSV_HOME=${home}`)} ${word(`PATH=${path}`)}`,
    `ExecStart=${commandLine(serviceCommand(service))}`,
    '# Returns when all apps are reloaded, and fails with them.',
    `ExecReload=${commandLine([node, main, 'reload', 'all'])}`,
    '',
    '# A stop signals the daemon alone: it stops every app by its own signal and kill timeout, and ends with 0.',
    '# When it dies, the apps go on, and the next one takes them over ("mixed" and "control-group" would kill them).',
    'KillMode=process',
    `TimeoutStopSec=${stopSeconds}`,
    'Restart=on-failure',
    `# ${successionCode}: a newer daemon is to go on. ${hopeless.join(', ')}: another attempt would end the same.`,
    `RestartForceExitStatus=${successionCode}`,
    `RestartPreventExitStatus=${hopeless.join(' ')}`,
    '',
    '# An app that has used up the memory is no reason to stop the others.',
    'OOMPolicy=continue',
    'TasksMax=infinity',
    `LimitNOFILE=${openFiles}`,
  ];
}

const notifying = [
  '# Up when all that was saved is. The word comes from systemd-notify, a child of the daemon.',
  'Type=notify',
  'NotifyAccess=all',
  '# Each app has its own limit (--listen-timeout).',
  'TimeoutStartSec=infinity',
];

function unit(lines: string[]): string {
  return `${lines.join('\n')}\n`;
}

/** In what is executed `$` begins a variable, but not in the program itself. */
function commandLine([program, ...args]: [string, ...string[]]): string {
  return [word(program), ...args.map((arg) => word(arg).replaceAll('$', '$$$$'))].join(' ');
}

/** One word: quotes and backslashes are as in C, and `%` begins a specifier. */
function word(text: string): string {
  const escaped = text.replaceAll('%', '%%').replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
  return /[^\w./=:@%+,-]/.test(escaped) || escaped === '' ? `"${escaped}"` : escaped;
}
