// MailDev, which listens for mail and, a moment later, for browsers.
import { expect, it } from 'vitest';
import { ask, freePort } from '../helpers/http.ts';
import { homeForEach } from '../helpers/nsv.ts';
import { installPackages } from '../helpers/packages.ts';
import { reloaded } from '../helpers/under-way.ts';

const nsv = homeForEach();
const packages = await installPackages('maildev@2');

it.skipIf(packages.missing)(
  'MailDev is ready once it listens on both ports, and reloads without losing a request',
  async () => {
    packages.link(nsv.directory);
    const [smtp, web] = [await freePort(), await freePort()];
    const options = ['--name', 'web', '-i', '2', '--', '--smtp', String(smtp), '--web', String(web)];
    const started = await nsv.runWith({ cwd: nsv.directory }, 'start', 'node_modules/.bin/maildev', ...options);
    expect(started).toMatchObject({ code: 0 });
    expect(await ask(web)).toMatchObject({ ok: true });
    const ports = async () => (await nsv.list()).map((view) => view.ports.map(Number).toSorted());
    const both = [smtp, web].toSorted();
    expect(await ports()).toEqual([both, both]);
    await reloaded(nsv, web, {}, 3);
    expect(await ports()).toEqual([both, both]);
  },
);
