// Output that pages quote, made by what makes it for users.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderExamination } from '../../../src/cli/commands/doctor.ts';
import { renderFailure } from '../../../src/cli/render/failure.ts';
import { readConfig, resolveConfig } from '../../../src/config/file/read.ts';
import { runChecks } from '../../../src/doctor/checks.ts';
import { NsvError } from '../../../src/shared/errors.ts';
import { appOf, wellFacts } from '../facts.ts';
import { code, session } from './markdown.ts';

const brokenConfig = `apps:
  - name: web
    script: server.js
    max_memory_restrat: 300M
    depends_on: db
  - name: db
    script: server.js
    depends_on: web
`;

/** What `nsv start` says about a config file with two errors. */
export async function configErrors(): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), 'nsv-docs-'));
  try {
    writeFileSync(join(cwd, 'nsv.config.yaml'), brokenConfig);
    writeFileSync(join(cwd, 'server.js'), '');
    const at = { cwd, env: { PATH: process.env.PATH ?? '' } };
    await resolveConfig(await readConfig({ word: 'nsv.config.yaml' }, at), at);
  } catch (error) {
    if (error instanceof NsvError) return code(await renderFailure(error));
    throw error;
  } finally {
    rmSync(cwd, { recursive: true });
  }
  throw new Error('the config file is to have errors');
}

/** What `nsv doctor` says of a daemon that was stopped by SIGSTOP, with an app that nobody has saved. */
export function diagnosis(): string {
  const daemon = { ...wellFacts.daemon, isStopped: true };
  const apps = [appOf({}), appOf({ spec: { name: 'worker' } })];
  const findings = runChecks({ ...wellFacts, daemon, apps, saved: { quarantined: [], appsAside: [] } });
  const looked = ['nsv 1.0.0 on Node v24.11.0', '/home/me/.nsv', 'its disks', '...'];
  const why = '<!-- not run: an example of what it prints -->\n\n';
  return (
    why + session(`$ nsv doctor\n${renderExamination({ home: '/home/me/.nsv', findings, looked }, (_, text) => text)}`)
  );
}
