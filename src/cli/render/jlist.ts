// The shape of `pm2 jlist`, for tools that read it. What nsv has and PM2 has not is added, never put in its place.
import { sharedEnvironmentOf } from '../../config/environment.ts';
import type { AppView, ProcessView, Status } from '../../ipc/views.ts';

const spelling: Partial<Record<Status, string>> = { starting: 'launching' };

export function jlistOf({ spec, createdAt, processes }: AppView) {
  return processes.map((process) => ({
    name: process.name,
    pid: process.pid ?? 0,
    pm_id: process.id,
    monit: { memory: process.memory ?? 0, cpu: process.cpu ?? 0 },
    pm2_env: {
      ...stateOf(process),
      name: process.name,
      pm_id: process.id,
      namespace: process.namespace,
      instances: process.instances,
      NODE_APP_INSTANCE: process.slot,
      created_at: createdAt,
      pm_exec_path: spec.script,
      pm_cwd: spec.cwd,
      exec_interpreter: spec.interpreter ?? 'none',
      args: spec.args,
      node_args: spec.interpreterArgs,
      pm_out_log_path: process.outFile,
      pm_err_log_path: process.errorFile,
      merge_logs: spec.mergeLogs,
      watch: spec.watch.length > 0,
      autorestart: spec.autorestart,
      kill_timeout: spec.killTimeout,
      username: spec.uid,
      env: sharedEnvironmentOf(spec),
    },
  }));
}

function stateOf(process: ProcessView) {
  return {
    status: spelling[process.status] ?? process.status,
    pm_uptime: process.since ?? 0,
    restart_time: process.restarts,
    unstable_restarts: 0,
    exec_mode: process.mode === 'fork' ? 'fork_mode' : 'cluster_mode',
    // Null after a signal, which PM2 shows as 0: a SIGKILL is no success.
    exit_code: process.lastExit?.code ?? null,
    exit_signal: process.lastExit?.signal ?? null,
  };
}
