// Config files, which are told from programs by their names. nsv does not read them yet; run as a program, one would
// export its settings to nobody and end with 0.
import { basename } from 'node:path';
import { failure } from '../shared/errors.ts';

/** `ecosystem.config.js`, `nsv.config.mjs`, `web.config.json`, `pm2.json`, `apps.yml`: no program is called like this. */
const configName = /\.config\.[cm]?[jt]s$|\.json$|\.ya?ml$/;

/** Throws UNSUPPORTED for a config file. `node web.config.js` runs one all the same. */
export function rejectConfigFile(file: string): void {
  if (!configName.test(basename(file))) return;
  const reason = 'by its name it is a config file, and nsv does not read these yet: name the file of the app itself';
  throw failure('UNSUPPORTED', { what: `"${file}"`, reason });
}
