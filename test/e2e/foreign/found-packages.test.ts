// A package.json that nobody has named, in a directory above: whose it may be.
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { homeForEach } from '../../helpers/nsv.ts';

const nobody = attackerForEach();
const nsv = homeForEach();

/** A directory of root's below one in which everybody may create files, as /tmp. */
let below = '';
beforeEach(() => {
  if (whyNoOtherUser) return;
  chmodSync(nobody.roots, 0o1777);
  below = join(nobody.roots, 'below');
  mkdirSync(below, { mode: 0o755 });
});

const program = 'console.log("ran as", process.getuid()); setInterval(() => {}, 1000)';
/** A package whose script `start` runs that, with a program of this name in node_modules/.bin. */
const plant = (directory: string, as: (command: string) => Promise<string>) =>
  as(
    `cd ${directory} && echo '{"name":"x","scripts":{"start":"node app.js"}}' >package.json && echo '${program}' >app.js &&
     mkdir -p node_modules/.bin && printf '#!/usr/bin/env node\\n${program}\\n' >node_modules/.bin/planted && chmod +x node_modules/.bin/planted`,
  );
const byNobody = (command: string) => nobody.sh(command);

describe.skipIf(whyNoOtherUser)('a package in a directory above', () => {
  it.each(['npm start', 'npm --verbose start', 'yarn start', 'pnpm start', 'npx planted', 'npm exec planted'])(
    'of another user is not started by "%s"',
    async (words) => {
      await plant(nobody.roots, byNobody);
      const { code, stderr } = await nsv.runWith({ cwd: below }, 'start', words);
      const file = join(nobody.roots, 'package.json');
      expect(stderr).toContain(`found ${file}, but did not use it: ${file} belongs to user ${nobody.uid}`);
      expect(code).toBe(3);
    },
  );

  it('of another user does not give it its programs', async () => {
    await plant(nobody.roots, byNobody);
    const { code, stderr } = await nsv.runWith({ cwd: below }, 'start', 'planted');
    expect(stderr).toContain('planted');
    expect(code).toBe(3);
  });

  it('of another user is started once it is named', async () => {
    await plant(nobody.roots, byNobody);
    expect(await nsv.runWith({ cwd: below }, 'start', join('..', 'package.json'))).toMatchObject({ code: 0 });
  });

  it('is started if it belongs to whom the directory belongs to, and the notice names its file', async () => {
    await plant(nobody.directory, byNobody);
    await nobody.sh('mkdir inner');
    const { code, stderr } = await nsv.runWith({ cwd: nobody.at('inner') }, 'start', 'npm start', '--uid', 'nobody');
    expect(stderr).toContain(`runs "node app.js", the script "start" of ${nobody.at('package.json')}`);
    expect(code).toBe(0);
  });
});
