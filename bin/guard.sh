# The parent of the detached daemon. It starts the daemon again after a crash, be it a signal, the OOM killer or a bug
# in nsv. The apps keep running, and the new daemon adopts them. Details: docs/daemon-death.md.
# Its arguments are the daemon's command. On an exit code below 64, which the daemon chose itself, the guard exits too.
# shellcheck shell=sh
nsv_limit=5
nsv_window=60
nsv_deaths= # seconds since 1970, the oldest first

nsv_tell() {
  printf '{"level":%s,"time":%s000,"msg":"%s"}\n' "$1" "$(date +%s)" "$2" >>"$NSV_HOME/daemon.log" 2>/dev/null
}

# Sets nsv_count to the deaths within the window, this one included.
nsv_count_death() {
  nsv_now=$(date +%s)
  nsv_recent=
  nsv_count=1
  for nsv_death in $nsv_deaths; do
    [ $((nsv_now - nsv_death)) -lt $nsv_window ] || continue
    nsv_recent="$nsv_recent $nsv_death"
    nsv_count=$((nsv_count + 1))
  done
  nsv_deaths="$nsv_recent $nsv_now"
}

# Set while the previous daemon still serves the home. If this one dies then, there is nothing to restart.
nsv_heir=$NSV_HEIR
unset NSV_HEIR
trap 'nsv_heir=' USR2

# Keeps the shell's own messages about killed children apart from the daemon's last output.
exec 9>&2 2>/dev/null
nsv_ending=
trap '' HUP INT QUIT
# USR1: kill a daemon that does not come up.
trap 'nsv_ending=1; kill -s KILL "$!" 2>/dev/null' USR1
trap 'nsv_ending=1; kill -s TERM "$!" 2>/dev/null' TERM
while :; do
  NSV_GUARD=$$ "$@" 2>&9 9>&- &
  # The channel to the previous daemon is only for the first daemon.
  if [ "$NODE_CHANNEL_FD" ]; then
    exec 3>&-
    unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE
  fi
  # `wait` returns early when a trap runs.
  wait "$!"
  nsv_code=$?
  while kill -0 "$!" 2>/dev/null; do
    wait "$!"
    nsv_code=$?
  done
  if [ "$nsv_code" -lt 64 ] || [ "$nsv_ending" ] || [ "$nsv_heir" ]; then exit "$nsv_code"; fi
  nsv_count_death
  if [ "$nsv_count" -gt "$nsv_limit" ]; then
    nsv_tell 60 "the daemon died $nsv_count times within $nsv_window s (last exit code: $nsv_code), so the guard gave up; the apps keep running, and the next nsv command starts a new daemon"
    exit "$nsv_code"
  fi
  # SIGABRT: perhaps because of what an app sent. The next daemon has the channels of all apps read by a process of its own.
  if [ "$nsv_code" -eq 134 ]; then export NSV_ABORTED=1; fi
  nsv_tell 50 "the daemon died (exit code $nsv_code), so the guard starts a new one"
done
