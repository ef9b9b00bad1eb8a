// Written by `npm run docs` from the tables in src/config: change those.

/** An app of a config file. Each key may be written in snake_case or in camelCase. */
export interface AppConfig {
  /** name of the app */
  name?: string;
  /** namespace of the app; other commands accept it as a target */
  namespace?: string;
  /** file, directory, program or command line to run, relative to `cwd` */
  script?: string;
  /** The same as `script`. */
  exec?: string;
  /** The same as `script`. */
  cmd?: string;
  /** The same as `script`. */
  command?: string;
  /** arguments of the program */
  args?: string | readonly (string | number | boolean)[];
  /** program that runs the file; "none" executes the file itself */
  interpreter?: string;
  /** The same as `interpreter`. */
  exec_interpreter?: string;
  /** arguments for the interpreter */
  interpreter_args?: string | readonly (string | number | boolean)[];
  /** The same as `interpreter_args`. */
  interpreterArgs?: string | readonly (string | number | boolean)[];
  /** The same as `interpreter_args`. */
  node_args?: string | readonly (string | number | boolean)[];
  /** The same as `interpreter_args`. */
  nodeArgs?: string | readonly (string | number | boolean)[];
  /** number of instances; "max" or 0 for one per CPU, "-1" for one fewer */
  instances?: number | string;
  /** what "nsv jlist" calls the mode: cluster for a Node app with `instances`; instances always share their sockets */
  exec_mode?: "fork" | "cluster" | "fork_mode" | "cluster_mode";
  /** The same as `exec_mode`. */
  execMode?: "fork" | "cluster" | "fork_mode" | "cluster_mode";
  /** working directory */
  cwd?: string;
  /** do not pass on variables of the shell that start with one of these (list); true for all variables */
  filter_env?: boolean | string | readonly (string)[];
  /** The same as `filter_env`. */
  filterEnv?: boolean | string | readonly (string)[];
  /** standard input: none, or pipe for "nsv send" and "nsv attach" */
  stdin?: "none" | "pipe";
  /** time between the stop signal and SIGKILL */
  kill_timeout?: number | string;
  /** The same as `kill_timeout`. */
  killTimeout?: number | string;
  /** do not stop descendants that have left the session of the app (setsid) */
  keep_orphans?: boolean;
  /** The same as `keep_orphans`. */
  keepOrphans?: boolean;
  /** signal that asks the app to stop; auto: SIGTERM, or SIGINT for a Node app that handles SIGINT alone */
  stop_signal?: string | number;
  /** The same as `stop_signal`. */
  stopSignal?: string | number;
  /** send the message 'shutdown' instead of the stop signal */
  shutdown_with_message?: boolean;
  /** The same as `shutdown_with_message`. */
  shutdownWithMessage?: boolean;
  /** on an uncaught exception, start a replacement and finish other requests first; false exits at once, as Node does */
  drain_on_crash?: boolean;
  /** The same as `drain_on_crash`. */
  drainOnCrash?: boolean;
  /** restart the app when it exits */
  autorestart?: boolean;
  /** give up after this many restarts within the restart window, or "unlimited" */
  max_restarts?: number | "unlimited";
  /** The same as `max_restarts`. */
  maxRestarts?: number | "unlimited";
  /** time window of --max-restarts */
  restart_window?: number | string;
  /** The same as `restart_window`. */
  restartWindow?: number | string;
  /** fixed delay before a restart */
  restart_delay?: number | string;
  /** The same as `restart_delay`. */
  restartDelay?: number | string;
  /** first restart delay; grows 1.5 times up to 15 s, resets after --min-uptime */
  exp_backoff_restart_delay?: number | string;
  /** The same as `exp_backoff_restart_delay`. */
  expBackoffRestartDelay?: number | string;
  /** towards giving up, count only processes that ended sooner than this */
  min_uptime?: number | string;
  /** The same as `min_uptime`. */
  minUptime?: number | string;
  /** start again this long after giving up */
  retry_after?: number | string;
  /** The same as `retry_after`. */
  retryAfter?: number | string;
  /** comma-separated exit codes after which the app is not restarted */
  stop_exit_codes?: number | readonly (number)[];
  /** The same as `stop_exit_codes`. */
  stopExitCodes?: number | readonly (number)[];
  /** wait for the app to call process.send('ready') */
  wait_ready?: boolean;
  /** The same as `wait_ready`. */
  waitReady?: boolean;
  /** time within which the app must become ready */
  listen_timeout?: number | string;
  /** The same as `listen_timeout`. */
  listenTimeout?: number | string;
  /** what makes a process ready, also later: http://:3000/health, tcp://:3000 or exec:command */
  ready_probe?: string | { http?: string; tcp?: string | number; exec?: string; interval?: number | string; timeout?: number | string; failures?: number; successes?: number; initialDelay?: number | string; initial_delay?: number | string; periodSeconds?: number; timeoutSeconds?: number; failureThreshold?: number; successThreshold?: number; initialDelaySeconds?: number };
  /** The same as `ready_probe`. */
  readyProbe?: string | { http?: string; tcp?: string | number; exec?: string; interval?: number | string; timeout?: number | string; failures?: number; successes?: number; initialDelay?: number | string; initial_delay?: number | string; periodSeconds?: number; timeoutSeconds?: number; failureThreshold?: number; successThreshold?: number; initialDelaySeconds?: number };
  /** replace a process that fails this probe: http://:3000/health, tcp://:3000 or exec:command */
  live_probe?: string | { http?: string; tcp?: string | number; exec?: string; interval?: number | string; timeout?: number | string; failures?: number; successes?: number; initialDelay?: number | string; initial_delay?: number | string; periodSeconds?: number; timeoutSeconds?: number; failureThreshold?: number; successThreshold?: number; initialDelaySeconds?: number };
  /** The same as `live_probe`. */
  liveProbe?: string | { http?: string; tcp?: string | number; exec?: string; interval?: number | string; timeout?: number | string; failures?: number; successes?: number; initialDelay?: number | string; initial_delay?: number | string; periodSeconds?: number; timeoutSeconds?: number; failureThreshold?: number; successThreshold?: number; initialDelaySeconds?: number };
  /** replace a Node process whose event loop is blocked for this long (at least 1s; 30s is a good start) */
  watchdog?: number | string;
  /** replace a process above this much memory, with its children (300M, 80%), or V8 heap (heap:90%) */
  max_memory_restart?: number | string;
  /** The same as `max_memory_restart`. */
  maxMemoryRestart?: number | string;
  /** report memory that grows over 12 windows of this length; 0 for never */
  detect_leaks?: number | string;
  /** The same as `detect_leaks`. */
  detectLeaks?: number | string;
  /** replace a Node process after this many HTTP requests (randomised: 90-100%) */
  max_requests?: number;
  /** The same as `max_requests`. */
  maxRequests?: number;
  /** replace a process after this time (randomised: 90-100%) */
  max_age?: number | string;
  /** The same as `max_age`. */
  maxAge?: number | string;
  /** limit of CPU for all processes of the app, such as 1.5 (cgroup) */
  cpu?: number | string;
  /** limit of memory for all processes of the app, at which the kernel kills (cgroup) */
  memory?: number | string;
  /** limit of processes and threads of the app (cgroup) */
  pids?: number;
  /** nice value, from -20 (most CPU time) to 19 (least) */
  nice?: number;
  /** limits of each process, such as nofile=65536, nofile=1024:65536 (soft:hard) or core=unlimited */
  ulimit?: string | readonly (string)[] | { nproc?: number | string; nofile?: number | string; cpu?: number | string; core?: number | string; fsize?: number | string; stack?: number | string; data?: number | string; as?: number | string; memlock?: number | string };
  /** whom the kernel kills when memory runs out, from -1000 (never) to 1000 (first); Linux only */
  oom_score_adj?: number;
  /** The same as `oom_score_adj`. */
  oomScoreAdj?: number;
  /** port, host:port or path that nsv binds and passes on (LISTEN_FDS; in Node: the "server" message) */
  listen?: string | number | readonly (string | number)[];
  /** give each instance a port of its own instead: this one, the next, and so on */
  listen_each?: number;
  /** The same as `listen_each`. */
  listenEach?: number;
  /** how instances share sockets: kernel, rr, or sticky for one process per client */
  schedule?: "kernel" | "rr" | "sticky";
  /** file for standard output */
  out_file?: string;
  /** The same as `out_file`. */
  outFile?: string;
  /** The same as `out_file`. */
  out?: string;
  /** The same as `out_file`. */
  output?: string;
  /** The same as `out_file`. */
  out_log?: string;
  /** file for standard error */
  error_file?: string;
  /** The same as `error_file`. */
  errorFile?: string;
  /** The same as `error_file`. */
  error?: string;
  /** The same as `error_file`. */
  err?: string;
  /** The same as `error_file`. */
  err_file?: string;
  /** The same as `error_file`. */
  err_log?: string;
  /** one file for both outputs of all instances, also if `out_file` or `error_file` is set */
  log_file?: string | boolean;
  /** The same as `log_file`. */
  logFile?: string | boolean;
  /** The same as `log_file`. */
  log?: string | boolean;
  /** file that contains the pid (of the second instance: with -1 before the extension) */
  pid_file?: string;
  /** The same as `pid_file`. */
  pidFile?: string;
  /** The same as `pid_file`. */
  pid?: string;
  /** one log file for all instances */
  merge_logs?: boolean;
  /** The same as `merge_logs`. */
  mergeLogs?: boolean;
  /** The same as `merge_logs`. */
  combine_logs?: boolean;
  /** prefix each log line with the time (YYYY-MM-DDTHH:mm:ss.SSSZ) */
  time?: boolean;
  /** prefix each log line with the time, such as "YYYY-MM-DD HH:mm:ss" */
  log_date_format?: unknown;
  /** The same as `log_date_format`. */
  logDateFormat?: unknown;
  /** prefix each log line with name and slot */
  log_prefix?: boolean;
  /** The same as `log_prefix`. */
  logPrefix?: boolean;
  /** text, or json for one object per line (time, level, app, slot, pid, message) */
  log_type?: "text" | "json";
  /** The same as `log_type`. */
  logType?: "text" | "json";
  /** like --log-type json, but JSON objects keep their fields and get the missing ones */
  log_merge_json?: boolean;
  /** The same as `log_merge_json`. */
  logMergeJson?: boolean;
  /** rotate a log file when it reaches this size; 0 for never */
  log_max_size?: number | string;
  /** The same as `log_max_size`. */
  logMaxSize?: number | string;
  /** number of rotated files to keep per log file */
  log_keep?: number;
  /** The same as `log_keep`. */
  logKeep?: number;
  /** also rotate by time: hourly, daily, weekly, never, or a cron pattern */
  log_rotate?: string;
  /** The same as `log_rotate`. */
  logRotate?: string;
  /** limit for all log files of the app: delete the oldest rotated ones; 0 for none */
  log_total?: number | string;
  /** The same as `log_total`. */
  logTotal?: number | string;
  /** do not compress rotated files (default: gzip all but the newest) */
  log_compress?: boolean;
  /** The same as `log_compress`. */
  logCompress?: boolean;
  /** user to run as */
  uid?: string | number;
  /** The same as `uid`. */
  user?: string | number;
  /** group to run as */
  gid?: string | number;
  /** The same as `gid`. */
  group?: string | number;
  /** supplementary groups, comma-separated, besides the user's own */
  groups?: string | number | readonly (string | number)[];
  /** with --uid: also pass these environment variables of the shell (comma-separated; NAME* or "all") */
  pass_env?: string | readonly (string)[];
  /** The same as `pass_env`. */
  passEnv?: string | readonly (string)[];
  /** umask of the app, such as 027; also applies to its pid files and Unix sockets */
  umask?: string;
  /** restart when files change: true for `cwd`, or a list of paths and globs */
  watch?: boolean | string | readonly (string)[];
  /** comma-separated names, paths or globs that --watch ignores */
  ignore_watch?: string | readonly (string)[];
  /** The same as `ignore_watch`. */
  ignoreWatch?: string | readonly (string)[];
  /** restart after this long without further changes */
  watch_delay?: number | string;
  /** The same as `watch_delay`. */
  watchDelay?: number | string;
  /** restart on a cron schedule, such as "0 4 * * *" */
  cron_restart?: string;
  /** The same as `cron_restart`. */
  cronRestart?: string;
  /** The same as `cron_restart`. */
  cron?: string;
  /** shell command to run on giving up; gets NSV_REASON and NSV_LAST_ERROR */
  on_giveup?: string;
  /** The same as `on_giveup`. */
  onGiveup?: string;
  /** shell command to run when a process has died; gets the record as JSON on standard input */
  on_death?: string;
  /** The same as `on_death`. */
  onDeath?: string;
  /** environment variable that holds the number of the instance, starting at 0 */
  instance_var?: string;
  /** The same as `instance_var`. */
  instanceVar?: string;
  /** environment variable, such as PORT, that is incremented by 1 for each instance; counts from 0 if it is not set */
  increment_var?: string;
  /** The same as `increment_var`. */
  incrementVar?: string;
  /** apps of the same file that must be ready before this one starts */
  depends_on?: string | readonly (string)[];
  /** The same as `depends_on`. */
  dependsOn?: string | readonly (string)[];
  /** shell command to run before the app is started, restarted or reloaded; if it fails, the app is not started */
  pre_start?: string;
  /** The same as `pre_start`. */
  preStart?: string;
  /** shell command to run after the app has stopped completely */
  post_stop?: string;
  /** The same as `post_stop`. */
  postStop?: string;
  /** environment variables; override those of the shell */
  env?: Readonly<Record<string, string | number | boolean | Readonly<Record<string, unknown>> | readonly (unknown)[] | undefined>>;
  /** file with variables (`.env`), or a list of files; `env` overrides it */
  env_file?: string | readonly (string)[];
  /** The same as `env_file`. */
  envFile?: string | readonly (string)[];
  /** sets the variable PORT */
  port?: number;
  /** add the name of `--env` to the name of the app: `web-prod` */
  append_env_to_name?: boolean;
  /** The same as `append_env_to_name`. */
  appendEnvToName?: boolean;
  /** start the app with the file; false only adds it to the list */
  autostart?: boolean;
  /** keep no logs */
  disable_logs?: boolean;
  /** The same as `disable_logs`. */
  disableLogs?: boolean;
  /** adds `--enable-source-maps` to `node_args` */
  source_map_support?: boolean;
  /** The same as `source_map_support`. */
  sourceMapSupport?: boolean;
  /** No effect: nsv does not pull from repositories: run these commands before "nsv apply". */
  post_update?: unknown;
  /** No effect: nsv always stops the children of a process too. */
  treekill?: unknown;
  /** No effect: nsv does not need it. */
  kill_retry_time?: unknown;
  /** No effect: use watch, ignore_watch and watch_delay. */
  watch_options?: unknown;
  /** No effect: set source_map_support to false. */
  disable_source_map_support?: unknown;
  /** No effect: nsv does not need it. */
  vizion?: unknown;
  /** No effect: nsv does not need it. */
  vizion_running?: unknown;
  /** No effect: nsv does not need it. */
  automation?: unknown;
  /** No effect: use --force on the command line. */
  force?: unknown;
  /** No effect: nsv does not need it. */
  write?: unknown;
  /** No effect: nsv does not need it. */
  windowsHide?: unknown;
  /** No effect: it belongs to PM2's hosted service. */
  pmx?: unknown;
  /** No effect: it belongs to PM2's hosted service. */
  axm_actions?: unknown;
  /** No effect: it belongs to PM2's hosted service. */
  axm_monitor?: unknown;
  /** No effect: it belongs to PM2's hosted service. */
  axm_options?: unknown;
  /** No effect: it belongs to PM2's hosted service. */
  axm_dynamic?: unknown;
  /** No effect: it belongs to PM2's hosted service. */
  trace?: unknown;
  /** No effect: it belongs to PM2's hosted service. */
  disable_trace?: unknown;
  /** No effect: it belongs to PM2's hosted service. */
  deep_monitoring?: unknown;
  /** No effect: it belongs to PM2's hosted service. */
  v8?: unknown;
  /** No effect: it belongs to PM2's hosted service. */
  event_loop_inspector?: unknown;
  /** No effect: it belongs to PM2's hosted service. */
  io?: unknown;
  /** No effect: nsv does not need it. */
  execute_command?: unknown;
  /** No effect: use "uid" for the user to run as. */
  username?: unknown;
  /** No effect: nsv does not need it. */
  instance_id?: unknown;
  /** Variables for `--env <name>`, over those of `env`. */
  [environment: `env_${string}`]: Readonly<Record<string, string | number | boolean | Readonly<Record<string, unknown>> | readonly (unknown)[] | undefined>> | string | readonly string[] | undefined;
  /** For whoever writes the file. */
  [free: `x-${string}`]: unknown;
}

/** A config file as an object. */
export interface ConfigFile {
  apps: AppConfig | readonly AppConfig[];
  /** No effect: nsv does not deploy to other machines: copy the files with your own tool, then run "nsv apply". */
  deploy?: unknown;
  /** For whoever writes the file. */
  [free: `x-${string}`]: unknown;
}

/** What a config file holds. */
export type Config =
  | AppConfig
  | readonly AppConfig[]
  | ConfigFile;

/** What it may export. `env` is the name behind `--env`. */
export type ConfigExport = Config | Promise<Config> | ((given: { env: string | undefined }) => Config | Promise<Config>);

/** Returns what it is given: an editor then knows the keys, and what they mean. */
export declare function defineConfig(config: ConfigExport): ConfigExport;
