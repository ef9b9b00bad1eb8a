// Which variables of an app in PM2's memory were meant for it: PM2 keeps the whole environment of the shell. Pure.

/** What each shell, terminal or session has its own of. */
const shells = /^(?:_|PWD|OLDPWD|SHLVL|TERM|TERM_.*|COLORTERM|COLUMNS|LINES|LS_COLORS|WINDOWID|DISPLAY|TMUX.*|STY)$/;
const sessions = /^(?:SSH_.*|XDG_.*|DBUS_.*|GPG_.*|INVOCATION_ID|JOURNAL_STREAM|MANAGERPID|npm_.*|INIT_CWD)$/;
/** What PM2 puts there itself. Its file server is told by variables too, and those are the user's. */
const pm2s =
  /^(?:PM2_(?!SERVE_).*|pm2_.*|pm_.*|name|unique_id|NODE_APP_INSTANCE|km_link|vizion.*|axm_.*|exec_.*|status|instance_var)$/;

/** `current`: the environment that `nsv start` would give the app anyway. */
export function ownVariables(
  name: string,
  given: unknown,
  current: Record<string, string>,
): { env: Record<string, string>; left: number } {
  const entries = Object.entries(typeof given === 'object' && given !== null ? given : {});
  const own = entries.filter(([key, value]) => {
    if (typeof value === 'object' || value === undefined) return false;
    // PM2 keeps the settings of a module by its name, and takes each app for one.
    if (key === name && value === '{}') return false;
    return !shells.test(key) && !sessions.test(key) && !pm2s.test(key) && current[key] !== String(value);
  });
  return {
    env: Object.fromEntries(own.map(([key, value]) => [key, String(value)])),
    left: entries.length - own.length,
  };
}
