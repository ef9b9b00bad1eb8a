// Runtime settings of an app that runs as another user: it gets them before it runs, and has root read no file for it.
// @module-tag full
import { symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { homeForEach } from '../../helpers/nsv.ts';

const nobody = attackerForEach();
const nsv = homeForEach();

/** It says what it was given, without a library: only what the daemon sends and its worker keeps counts here. */
const source = `const { held } = process[Symbol.for('nsv.worker')].settings;
const say = () => require('node:fs').appendFileSync('said', process.getuid() + held().values + '\\n');
say();
process.on('SIGUSR2', say);
setInterval(() => {}, 60_000);`;

describe.skipIf(whyNoOtherUser)('an app of another user', () => {
  it('gets its settings, but none from a file that this user could replace', async () => {
    await nobody.sh(`cat > app.cjs <<'EOF'\n${source}\nEOF`);
    const words = ['--uid', 'nobody', '--cwd', nobody.directory, '-l', '/dev/null'];
    await nsv.ok('start', nobody.at('app.cjs'), '--name', 'a', ...words);
    await nsv.ok('config', 'set', 'a', 'limit=1');
    await nsv.ok('restart', 'a');
    await eventually(() => nobody.text('said') === `${nobody.uid}{}\n${nobody.uid}{"limit":1}\n`);

    symlinkSync(nobody.secret('secret.json', '{"of":"root"}'), nobody.at('settings.json'));
    const stderr = await nsv.fails(8, 'config', 'a', '--file', nobody.at('settings.json'));
    expect(stderr).toContain('a directory that only root can write');
    expect(await nsv.ok('config', 'a', '--json')).not.toContain('"of"');
  });
});
