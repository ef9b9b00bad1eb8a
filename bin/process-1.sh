# Process 1: starts Node, passes signals on to it, reaps orphans, and exits with Node's exit code.
# `wait` does the reaping: it collects every child, whether the shell knows it or not. Works with dash, bash and busybox
# sh, and runs no other program. Details: docs/process-1.md.
# Here $! is always Node: nothing else is started in the background.
# shellcheck shell=sh disable=SC2154,SC2317 # variables of bin/nsv; functions that only traps call

# Signals are held back until Node is ready for them: earlier they would kill Node, or be lost between fork and exec.
nsv_kept=
nsv_is_up=

nsv_pass_on() {
  if [ "$nsv_is_up" ]; then
    kill -s "$1" "$!" 2>/dev/null # Node may just have ended
  else
    nsv_kept="$nsv_kept $1"
    # Node may have become ready since the check above: a trap can run inside another one.
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

# All signals that can be caught except SIGCHLD, which is meant for this shell. dash has no name for 16, SIGSTKFLT.
for nsv_signal in HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM 16 CONT TSTP TTIN TTOU URG XCPU \
  XFSZ VTALRM PROF WINCH IO PWR SYS; do
  # shellcheck disable=SC2064 # the current value is intended
  trap "nsv_pass_on $nsv_signal" "$nsv_signal"
done
# Node sends this signal when it is ready (src/os/terminate.ts): a real-time signal, because all others have a meaning.
# shellcheck disable=SC2172 # it has no name that all shells know
trap nsv_node_is_up 64

# A shell gives background processes /dev/null as standard input unless it is redirected from another descriptor.
nsv_start() {
  NSV_INIT=$$ "$nsv_node" "$nsv_main" "$@" <&9 9<&- &
}
(: 9<&0) 2>/dev/null || exec </dev/null # it may be closed
nsv_start "$@" 9<&0

# A signal ends `wait` with the code of a Node that died of that signal. So the exit code is what `wait` returns once
# Node is gone. A shell returns it every time, except bash in the POSIX mode that it uses as `sh`.
# shellcheck disable=SC3040 # tested before it is used
(set +o posix) 2>/dev/null && set +o posix
while kill -0 "$!" 2>/dev/null; do wait "$!"; done
wait "$!"
exit "$?"
