// Written by `npm run docs` from the tables in src/config: change those.

/** An app of a config file. Each key may be written in snake_case or in camelCase. */
export interface AppConfig {
  /** name of the app */
  name?: string;
  /** namespace, a target for other commands */
  namespace?: string;
  /** file, directory, program or command line to run, found from `cwd` */
  script?: string;
  /** The same as `script`. */
  exec?: string;
  /** The same as `script`. */
  cmd?: string;
  /** arguments of the program */
  args?: string | readonly (string | number)[];
  /** program that runs the file; "none" executes it */
  interpreter?: string;
  /** The same as `interpreter`. */
  exec_interpreter?: string;
  /** arguments of the interpreter (for Node: --node-args) */
  interpreter_args?: string | readonly (string | number)[];
  /** The same as `interpreter_args`. */
  interpreterArgs?: string | readonly (string | number)[];
  /** The same as `interpreter_args`. */
  node_args?: string | readonly (string | number)[];
  /** The same as `interpreter_args`. */
  nodeArgs?: string | readonly (string | number)[];
  /** number of instances; "max" or 0 for the CPUs that may be used, "-k" for k fewer, at least 1 */
  instances?: number | string;
  /** working directory */
  cwd?: string;
  /** variables of the shell to leave out, by how they begin (list); true for all of them */
  filter_env?: boolean | string | readonly (string)[];
  /** The same as `filter_env`. */
  filterEnv?: boolean | string | readonly (string)[];
  /** standard input: none, or a pipe for "nsv send" and "nsv attach" */
  stdin?: "none" | "pipe";
  /** time between the stop signal and SIGKILL */
  kill_timeout?: number | string;
  /** The same as `kill_timeout`. */
  killTimeout?: number | string;
  /** signal that asks the app to stop */
  stop_signal?: string | number;
  /** The same as `stop_signal`. */
  stopSignal?: string | number;
  /** ask the app to stop by the message 'shutdown' instead of the signal */
  shutdown_with_message?: boolean;
  /** The same as `shutdown_with_message`. */
  shutdownWithMessage?: boolean;
  /** at an uncaught error: start a successor and finish the other requests first; false ends at once, as Node does */
  suicide?: boolean;
  /** restart the app when it ends by itself */
  autorestart?: boolean;
  /** restarts within the window after which nsv gives up; "unlimited" for never */
  max_restarts?: number | "unlimited";
  /** The same as `max_restarts`. */
  maxRestarts?: number | "unlimited";
  /** window in which restarts are counted */
  restart_window?: number | string;
  /** The same as `restart_window`. */
  restartWindow?: number | string;
  /** fixed delay before a restart */
  restart_delay?: number | string;
  /** The same as `restart_delay`. */
  restartDelay?: number | string;
  /** first delay of a growing one (x 1.5 up to 15 s, forgotten after min-uptime) */
  exp_backoff_restart_delay?: number | string;
  /** The same as `exp_backoff_restart_delay`. */
  expBackoffRestartDelay?: number | string;
  /** time after which a process that neither listens nor reports counts as ready */
  min_uptime?: number | string;
  /** The same as `min_uptime`. */
  minUptime?: number | string;
  /** try again this long after giving up */
  retry_after?: number | string;
  /** The same as `retry_after`. */
  retryAfter?: number | string;
  /** exit codes that mean "finished": no restart (comma-separated) */
  stop_exit_codes?: number | readonly (number)[];
  /** The same as `stop_exit_codes`. */
  stopExitCodes?: number | readonly (number)[];
  /** ready only when the app says process.send('ready') */
  wait_ready?: boolean;
  /** The same as `wait_ready`. */
  waitReady?: boolean;
  /** time in which the app must become ready */
  listen_timeout?: number | string;
  /** The same as `listen_timeout`. */
  listenTimeout?: number | string;
  /** restart when the process and its children use more memory; 80% is of what the cgroup or the machine has */
  max_memory_restart?: number | string;
  /** The same as `max_memory_restart`. */
  maxMemoryRestart?: number | string;
  /** replace a Node process after so many HTTP requests; each draws its own limit from 90 % to 100 % of it */
  max_requests?: number;
  /** The same as `max_requests`. */
  maxRequests?: number;
  /** replace a process of this age; each draws its own limit from 90 % to 100 % of it */
  max_age?: number | string;
  /** The same as `max_age`. */
  maxAge?: number | string;
  /** port, host:port or path that nsv binds and hands to the app (LISTEN_FDS; Node: the "server" message) */
  listen?: string | number | readonly (string | number)[];
  /** how instances share sockets: kernel, reuseport or rr */
  schedule?: "kernel" | "reuseport" | "rr";
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
  /** file that holds the pid while the process runs; that of the second instance has -1 before its extension */
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
  /** put the time before each line of the log, as YYYY-MM-DDTHH:mm:ss.SSSZ */
  time?: boolean;
  /** put the time before each line of the log in this format, such as "YYYY-MM-DD HH:mm:ss.SSS Z" */
  log_date_format?: unknown;
  /** The same as `log_date_format`. */
  logDateFormat?: unknown;
  /** put name and slot before each line of the log */
  log_prefix?: boolean;
  /** The same as `log_prefix`. */
  logPrefix?: boolean;
  /** text, or json: each line becomes an object of time, level (out or err), app, slot, pid and message */
  log_type?: "text" | "json";
  /** The same as `log_type`. */
  logType?: "text" | "json";
  /** as --log-type json, but a line that is a JSON object itself keeps its fields and is given those it lacks */
  log_merge_json?: boolean;
  /** The same as `log_merge_json`. */
  logMergeJson?: boolean;
  /** rotate a log file when it has grown to this size; 0 for never */
  log_max_size?: number | string;
  /** The same as `log_max_size`. */
  logMaxSize?: number | string;
  /** how many rotated files of each log file to keep */
  log_keep?: number;
  /** The same as `log_keep`. */
  logKeep?: number;
  /** rotate by time too: hourly, daily, weekly, never, or a cron pattern */
  log_rotate?: string;
  /** The same as `log_rotate`. */
  logRotate?: string;
  /** delete the oldest rotated files of the app when all its log files together are larger; 0 for never */
  log_total?: number | string;
  /** The same as `log_total`. */
  logTotal?: number | string;
  /** leave rotated files as they are instead of compressing all but the newest (gzip) */
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
  /** restart on file changes: true for `cwd`, or a list of paths */
  watch?: boolean | string | readonly (string)[];
  /** names, paths or globs that do not restart (comma-separated) */
  ignore_watch?: string | readonly (string)[];
  /** The same as `ignore_watch`. */
  ignoreWatch?: string | readonly (string)[];
  /** quiet time after a change before the restart */
  watch_delay?: number | string;
  /** The same as `watch_delay`. */
  watchDelay?: number | string;
  /** restart by a cron pattern */
  cron_restart?: string;
  /** The same as `cron_restart`. */
  cronRestart?: string;
  /** The same as `cron_restart`. */
  cron?: string;
  /** shell command to run when nsv gives up restarting; NSV_REASON and NSV_LAST_ERROR tell it why */
  on_giveup?: string;
  /** The same as `on_giveup`. */
  onGiveup?: string;
  /** environment variable that holds the number of the instance, from 0 */
  instance_var?: string;
  /** The same as `instance_var`. */
  instanceVar?: string;
  /** environment variable, such as PORT, that grows by 1 with each instance */
  increment_var?: string;
  /** The same as `increment_var`. */
  incrementVar?: string;
  /** apps of the same file that must be ready before this one is started */
  depends_on?: string | readonly (string)[];
  /** The same as `depends_on`. */
  dependsOn?: string | readonly (string)[];
  /** shell command to run before nsv starts, restarts or reloads the app; if it fails, nothing is started */
  pre_start?: string;
  /** The same as `pre_start`. */
  preStart?: string;
  /** shell command to run when the app was stopped and nothing of it is left */
  post_stop?: string;
  /** The same as `post_stop`. */
  postStop?: string;
  /** environment, over that of the shell */
  env?: Readonly<Record<string, string | number | boolean | Readonly<Record<string, unknown>> | readonly (unknown)[] | undefined>>;
  /** file of variables (`.env`), or a list of them; `env` is over it */
  env_file?: string | readonly (string)[];
  /** The same as `env_file`. */
  envFile?: string | readonly (string)[];
  /** sets the variable PORT */
  port?: number;
  /** with `--env prod`, `web` is called `web-prod` */
  append_env_to_name?: boolean;
  /** The same as `append_env_to_name`. */
  appendEnvToName?: boolean;
  /** false: it is in the list, and waits for `nsv start <name>` */
  autostart?: boolean;
  /** understood and not needed: the instances of every Node app share their sockets */
  exec_mode?: "fork" | "cluster" | "fork_mode" | "cluster_mode";
  /** The same as `exec_mode`. */
  execMode?: "fork" | "cluster" | "fork_mode" | "cluster_mode";
  /** sets `out_file` and `error_file` where they are not set */
  log_file?: string | boolean;
  /** The same as `log_file`. */
  logFile?: string | boolean;
  /** The same as `log_file`. */
  log?: string | boolean;
  /** keep nothing of what it prints */
  disable_logs?: boolean;
  /** The same as `disable_logs`. */
  disableLogs?: boolean;
  /** adds `--enable-source-maps` to `node_args` */
  source_map_support?: boolean;
  /** The same as `source_map_support`. */
  sourceMapSupport?: boolean;
  /** No effect: nsv does not pull from repositories: run the commands before "nsv apply". */
  post_update?: unknown;
  /** No effect: nsv always ends the children of a process with it. */
  treekill?: unknown;
  /** No effect: nsv does without it. */
  kill_retry_time?: unknown;
  /** No effect: see watch, ignore_watch and watch_delay. */
  watch_options?: unknown;
  /** No effect: source maps are off unless source_map_support is true. */
  disable_source_map_support?: unknown;
  /** No effect: nsv does without it. */
  vizion?: unknown;
  /** No effect: nsv does without it. */
  vizion_running?: unknown;
  /** No effect: nsv does without it. */
  automation?: unknown;
  /** No effect: say --force on the command line. */
  force?: unknown;
  /** No effect: nsv does without it. */
  write?: unknown;
  /** No effect: nsv does without it. */
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
  /** No effect: nsv does without it. */
  execute_command?: unknown;
  /** No effect: say "uid" for the user to run as. */
  username?: unknown;
  /** No effect: nsv does without it. */
  instance_id?: unknown;
  /** Variables for `--env <name>`, over those of `env`. */
  [environment: `env_${string}`]: Readonly<Record<string, string | number | boolean | Readonly<Record<string, unknown>> | readonly (unknown)[] | undefined>> | string | readonly string[] | undefined;
  /** For whoever writes the file. */
  [free: `x-${string}`]: unknown;
}

/** A config file as an object. */
export interface ConfigFile {
  apps: AppConfig | readonly AppConfig[];
  /** No effect: nsv does not copy files to other machines: deploy as you like, then run "nsv apply". */
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
