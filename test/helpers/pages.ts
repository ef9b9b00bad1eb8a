// The pages of docs/ that are made from tables. `npm run docs` writes them; test/docs.test.ts compares.
import { apiTypesText } from './api-types.ts';
import { schemaText, typesText } from './docs/config-schema.ts';
import { apiTable, commandLine, errors, protocol } from './docs/interfaces.ts';
import { lifecycle, slotLifecycle, workerLifecycle } from './docs/lifecycle.ts';
import { withTables } from './docs/markdown.ts';
import { configErrors, diagnosis } from './docs/samples.ts';
import { config, fileKeyTable, keyTable, leftOut } from './docs/settings.ts';

/** File names with their texts. What is written by hand comes from `read`, with its tables made anew. */
export async function pages(read: (name: string) => string): Promise<Record<string, string>> {
  const configFileParts = { errors: await configErrors(), keys: fileKeyTable(), 'left out': leftOut() };
  return {
    'docs/api.md': withTables(read('docs/api.md'), { methods: apiTable() }),
    'docs/architecture.md': withTables(read('docs/architecture.md'), {
      lifecycle: lifecycle(),
      slots: slotLifecycle(),
      worker: workerLifecycle(),
    }),
    'docs/cli.md': await commandLine(),
    'docs/config-file.md': withTables(read('docs/config-file.md'), configFileParts),
    'docs/config.md': config(),
    'docs/doctor.md': withTables(read('docs/doctor.md'), { sample: diagnosis() }),
    'docs/errors.md': errors(),
    'docs/monit.md': withTables(read('docs/monit.md'), { keys: keyTable() }),
    'docs/protocol.md': protocol(),
    'api/index.d.cts': apiTypesText(read),
    'config/index.d.cts': typesText(),
    'config/schema.json': schemaText(),
  };
}
