# Process 1: starts Node, passes signals on to it, reaps what was orphaned, and ends with Node's exit code.
# `wait` does the reaping: it takes the status of every child there is, known to the shell or not. Right under dash, bash
# and busybox sh, and there is no other program in it. docs/process-1.md tells it at length.
# Here $! is always Node: nothing else is ever started in the background.
# shellcheck shell=sh disable=SC2154,SC2317 # variables of bin/nsv; functions that only traps call

# Until Node can take signals they are kept: they would kill it, or be lost between fork and exec.
nsv_kept=
nsv_is_up=

nsv_pass_on() {
  if [ "$nsv_is_up" ]; then
    kill -s "$1" "$!" 2>/dev/null # Node may just have ended
  else
    nsv_kept="$nsv_kept $1"
    # The word that Node is up may have come since the look at the variable: a trap may be called within another.
    [ "$nsv_is_up" ] && nsv_pass_on_kept
  fi
}

nsv_pass_on_kept() {
  for nsv_signal in $nsv_kept; do nsv_pass_on "$nsv_signal"; done
  nsv_kept=
}

nsv_node_is_up() {
  nsv_is_up=1
  nsv_pass_on_kept
}

# All that can be caught, but for SIGCHLD, which is the kernel's word to this shell. dash has no name for 16, SIGSTKFLT.
for nsv_signal in HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM 16 CONT TSTP TTIN TTOU URG XCPU \
  XFSZ VTALRM PROF WINCH IO PWR SYS; do
  # shellcheck disable=SC2064 # the value of now is meant
  trap "nsv_pass_on $nsv_signal" "$nsv_signal"
done
# By which Node says that it is up (src/os/terminate.ts): a real-time signal, as all others have a meaning.
# shellcheck disable=SC2172 # it has no name that all shells know
trap nsv_node_is_up 64

# A shell gives /dev/null to what it starts in the background, unless it is told otherwise by another descriptor.
nsv_start() {
  NSV_INIT=$$ "$nsv_node" "$nsv_main" "$@" <&9 9<&- &
}
(: 9<&0) 2>/dev/null || exec </dev/null # it may be closed
nsv_start "$@" 9<&0

# A signal ends `wait` with a code like that of a Node which has died of it. So Node's code is what `wait` says once Node
# is gone: a shell tells it as often as it is asked, but for bash in the POSIX mode that it has as `sh`.
# shellcheck disable=SC3040 # asked before it is done
(set +o posix) 2>/dev/null && set +o posix
while kill -0 "$!" 2>/dev/null; do wait "$!"; done
wait "$!"
exit "$?"
