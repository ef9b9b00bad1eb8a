// MailDev, which listens for mail and, a moment later, for browsers.
import { expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { ask, freePort } from '../helpers/http.ts';
import { homeForEach } from '../helpers/nsv.ts';
import { installPackages } from '../helpers/packages.ts';
import { Visitors } from '../helpers/visitors.ts';

const nsv = homeForEach();
const packages = await installPackages('maildev@2');

it.skipIf(packages.missing)(
  'MailDev is ready once it listens on both ports, and is reloaded without a lost request',
  async () => {
    packages.link(nsv.directory);
    const [smtp, web] = [await freePort(), await freePort()];
    const words = ['node_modules/.bin/maildev', '-i', '2', '--', '--smtp', String(smtp), '--web', String(web)];
    const started = await nsv.runWith({ cwd: nsv.directory }, 'start', ...words);
    expect(started).toMatchObject({ code: 0 });
    expect(await ask(web)).toMatchObject({ ok: true });
    const ports = async () => (await nsv.list()).map((view) => view.ports.map(Number).toSorted());
    const both = [smtp, web].toSorted();
    expect(await ports()).toEqual([both, both]);
    const visitors = new Visitors(8, { port: web });
    for (let reload = 0; reload < 3; reload += 1) {
      const before = visitors.answers.length;
      await eventually(() => visitors.answers.length > before + 32);
      await nsv.ok('reload', 'maildev');
      expect(await ports()).toEqual([both, both]);
    }
    await visitors.leave();
    expect(visitors.failures).toEqual([]);
  },
);
