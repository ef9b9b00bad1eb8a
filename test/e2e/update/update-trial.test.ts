// What happens while the daemon that is to take over proves that it can.
// @module-tag full
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { hello, homeForEach, processesWith } from '../../helpers/nsv.ts';
import { createRelease } from '../../helpers/release.ts';

const nsv = homeForEach();

/** Begins an update, to a daemon that has all there is, and says so when it is time, which is an expression in its program. */
function update(isTime: string) {
  const asked = join(nsv.directory, 'asked');
  const program = createRelease(join(nsv.directory, 'other'), {
    daemon: (source) =>
      // The bundler may have given it another name.
      source.replace(/\bsend\d*\(\{type:"able"\}\)/, (tell) => {
        const prove = `() => ${isTime} ? ${tell} : setImmediate(prove)`;
        return `const fs = require("node:fs"); fs.writeFileSync("${asked}", String(process.ppid)); const prove = ${prove}; prove()`;
      }),
  });
  const ran = nsv.runWith({ program }, 'update', '--no-reload');
  /** Resolves with the pid of its guard. */
  const isTried = () => eventually(() => existsSync(asked) && (Number(readFileSync(asked, 'utf8')) || undefined));
  return { ran, isTried };
}

/** When `end` is called, which resolves with what came of it. */
function updateUntilEnd() {
  const go = join(nsv.directory, 'go');
  const { ran, isTried } = update(`fs.existsSync("${go}")`);
  const end = () => {
    writeFileSync(go, '');
    return ran;
  };
  return { isTried, end };
}

describe('while an update tries the new daemon', () => {
  it('stopping an app frees its port, in the new daemon too', async () => {
    const port = await freePort();
    await nsv.ok('start', hello, '--name', 'web', '--', String(port));
    const { isTried, end } = updateUntilEnd();
    await isTried();
    await nsv.ok('stop', 'web');
    expect(await end()).toMatchObject({ code: 0 });
    expect(await ask(port)).toEqual({ ok: false, why: 'ECONNREFUSED' });
  });

  it('"nsv kill" ends both daemons, even if the new one becomes ready at that moment', async () => {
    await nsv.sleeper('one');
    await nsv.ok('delete', 'one');
    const { isTried, ran } = update(`!fs.existsSync("${join(nsv.home, 'state.json')}")`);
    await isTried();
    await nsv.ok('kill');
    expect(await ran).toMatchObject({ code: 4 });
    await eventually(() => processesWith(`NSV_HOME=${nsv.home}`).length === 0);
  });

  it('the new daemon ends if its guard is killed', async () => {
    await nsv.sleeper('one');
    const before = processesWith(`NSV_HOME=${nsv.home}`);
    const { isTried, ran } = update('false');
    process.kill(await isTried(), 'SIGKILL');
    expect(await ran).toMatchObject({ code: 4 });
    expect(processesWith(`NSV_HOME=${nsv.home}`)).toEqual(before);
  });

  it('connections to a busy process wait and are answered', async () => {
    const port = await freePort();
    await nsv.ok('start', hello, '--name', 'web', '--schedule', 'rr', '--', String(port));
    const [web] = await nsv.list();
    process.kill(web!.pid!, 'SIGSTOP');
    const answers = [ask(port), ask(port)];
    // The daemon has accepted them before it answers this.
    await nsv.list();
    const { isTried, end } = updateUntilEnd();
    await isTried();
    process.kill(web!.pid!, 'SIGCONT');
    expect(await end()).toMatchObject({ code: 0 });
    expect(await Promise.all(answers)).toMatchObject([{ ok: true }, { ok: true }]);
  });
});
