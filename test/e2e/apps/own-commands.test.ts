// Commands that an app gives about itself, as a server does on which a deployment calls.
import { expect } from 'vitest';
import { freePort } from '../../helpers/http.ts';
import { homeForEach, launcher } from '../../helpers/nsv.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();

variants<[string, string]>([
  ['reload', '1'],
  ['reload', '2'],
  ['apply', '1'],
])('nsv %s does not wait for the request in which the app runs it, with %s processes', async (command, instances) => {
  const port = await freePort();
  const config = nsv.script(
    'nsv.config.cjs',
    `module.exports = { apps: [{ name: 'self', script: './self.cjs', instances: ${instances}, kill_timeout: '10m',
      env: { PORT: ${port}, RELEASE: String(require('node:fs').existsSync(__dirname + '/second')) } }] }`,
  );
  nsv.script(
    'self.cjs',
    `const { execFile } = require('node:child_process');
    require('node:http').createServer((request, answer) => {
      if (request.url === '/') return answer.end(String(process.pid));
      execFile(${JSON.stringify(launcher)}, ${JSON.stringify(command === 'apply' ? ['apply', config] : ['reload', 'self'])},
        (error, stdout) => answer.end(String(error ?? stdout)));
    }).listen(process.env.PORT);`,
  );
  await nsv.ok('start', config);
  const before = (await nsv.list()).map(({ pid }) => pid);
  nsv.script('second', '');
  const answer = await (await fetch(`http://localhost:${port}/deploy`)).text();
  expect(answer).toContain('self');
  expect(answer).not.toContain('Error');
  const after = await nsv.list();
  expect(after).toHaveLength(Number(instances));
  expect(after.filter(({ pid, cutShort }) => before.includes(pid) || cutShort > 0)).toEqual([]);
});
