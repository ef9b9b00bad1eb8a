// Renders a service script for OpenRC: openrc-run(8), supervise-daemon(8). Pure.
import { shellWord } from '../../shared/shell-word.ts';
import { type BootService, generatedMarker, openFiles, restarts, serviceCommand, stopSeconds } from './service.ts';

export function renderServiceScript(service: BootService): string {
  const { user, home, path } = service;
  // OpenRC evaluates both values as shell text again.
  const [command, ...args] = serviceCommand(service).map(shellWord);
  return `#!/sbin/openrc-run
# ${generatedMarker}

description=${shellWord(`nsv process manager for the apps of ${user}`)}
supervisor=supervise-daemon
command=${shellWord(command ?? '')}
command_args=${shellWord(args.join(' '))}
command_user=${shellWord(user)}
directory=/
# On SIGTERM the daemon stops all apps and exits; only the daemon gets the signal.
retry=SIGTERM/${stopSeconds}
# If the daemon crashes, the apps keep running and the next one adopts them.
respawn_delay=1
respawn_max=${restarts.most}
respawn_period=${restarts.within}
rc_ulimit="-n ${openFiles}"
extra_started_commands=reload
description_reload="Reload all apps"

export NSV_HOME=${shellWord(home)}
export PATH=${shellWord(path)}

depend() {
	need localmount
	want net
	after firewall
}

reload() {
	ebegin "Reloading the apps of $RC_SVCNAME"
	supervise-daemon "$RC_SVCNAME" --signal HUP
	eend $?
}
`;
}
