// Converts the settings of an app in PM2's dump to keys of a config file, without PM2's defaults. Pure.

/** One process as written by `pm2 save` and `pm2 jlist`. Every value must be checked before use. */
export type Pm2Entry = Record<string, unknown>;

interface Row {
  /** The key in the config file. */
  key: string;
  /** The key in PM2's dump; defaults to `key`. */
  from?: string;
  /** The default value, which is left out. */
  otherwise?: unknown;
}

const rows: readonly Row[] = [
  { key: 'namespace', otherwise: 'default' },
  { key: 'script', from: 'pm_exec_path' },
  { key: 'cwd', from: 'pm_cwd' },
  { key: 'args' },
  { key: 'interpreter', from: 'exec_interpreter' },
  { key: 'node_args' },
  { key: 'autorestart', otherwise: true },
  { key: 'watch', otherwise: false },
  { key: 'ignore_watch' },
  { key: 'watch_delay' },
  { key: 'max_memory_restart' },
  { key: 'max_restarts' },
  { key: 'min_uptime' },
  { key: 'restart_delay', otherwise: 0 },
  { key: 'exp_backoff_restart_delay', otherwise: 0 },
  { key: 'stop_exit_codes' },
  { key: 'cron_restart' },
  { key: 'kill_timeout' },
  { key: 'wait_ready', otherwise: false },
  { key: 'listen_timeout' },
  { key: 'shutdown_with_message', otherwise: false },
  { key: 'treekill', otherwise: true },
  { key: 'merge_logs', otherwise: false },
  { key: 'log_type', otherwise: 'raw' },
  { key: 'log_date_format' },
  { key: 'time', otherwise: false },
  { key: 'disable_logs', otherwise: false },
  { key: 'filter_env' },
  { key: 'instance_var', otherwise: 'NODE_APP_INSTANCE' },
  { key: 'increment_var' },
  { key: 'uid' },
  { key: 'gid' },
];

/** The interpreters, by file extension, that both PM2 and nsv choose by default. */
const interpreters: Record<string, readonly string[]> = {
  js: ['node'],
  mjs: ['node'],
  cjs: ['node'],
  sh: ['bash'],
  py: ['python', 'python3'],
  rb: ['ruby'],
  php: ['php'],
  pl: ['perl'],
};

export function importedSettings(entry: Pm2Entry): Record<string, unknown> {
  const given = rows.flatMap(({ key, from = key, otherwise }) => {
    const value = entry[from];
    return isNothing(value) || value === otherwise ? [] : [[key, value] as const];
  });
  const settings = Object.fromEntries(given);
  if (isUsual(settings.interpreter, settings.script)) delete settings.interpreter;
  // PM2's file server, which nsv also calls "serve".
  if (/\/pm2\/lib\/API\/Serve\.js$/.test(String(settings.script))) settings.script = 'serve';
  if (entry.exec_mode === 'cluster_mode') settings.exec_mode = 'cluster';
  return settings;
}

/** PM2 stores an empty list, empty text or null for settings that were never set. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function isUsual(interpreter: unknown, script: unknown): boolean {
  const extension = /\.(\w+)$/.exec(String(script))?.[1] ?? '';
  return interpreters[extension]?.includes(String(interpreter)) ?? false;
}
