// Selects the variables meant for an app: PM2 saves the whole environment of the shell. Pure.

/** Variables specific to a shell, terminal or session. */
const shells = /^(?:_|PWD|OLDPWD|SHLVL|TERM|TERM_.*|COLORTERM|COLUMNS|LINES|LS_COLORS|WINDOWID|DISPLAY|TMUX.*|STY)$/;
const sessions = /^(?:SSH_.*|XDG_.*|DBUS_.*|GPG_.*|INVOCATION_ID|JOURNAL_STREAM|MANAGERPID|npm_.*|INIT_CWD)$/;
/** Variables that PM2 adds. Those for its file server (PM2_SERVE_*) come from the user and are kept. */
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
    // PM2 treats each app as a possible module, and stores module settings under its name.
    if (key === name && value === '{}') return false;
    return !shells.test(key) && !sessions.test(key) && !pm2s.test(key) && current[key] !== String(value);
  });
  return {
    env: Object.fromEntries(own.map(([key, value]) => [key, String(value)])),
    left: entries.length - own.length,
  };
}
