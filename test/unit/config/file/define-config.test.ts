// `nsv/config`, as a user's config file imports it.
import { createRequire } from 'node:module';
import { type ConfigExport, defineConfig } from 'nsv/config';
import { describe, expect, it } from 'vitest';
import { fileKeys } from '../../../../src/config/file/keys.ts';

describe('defineConfig', () => {
  it('returns its argument, and checks the types of keys', () => {
    const config = {
      apps: [
        { name: 'web', script: 'app.js', max_memory_restart: '1G', killTimeout: 500, env_production: { PORT: 80 } },
      ],
      deploy: {},
    } satisfies ConfigExport;
    expect(defineConfig(config)).toBe(config);
    const made = async ({ env }: { env: string | undefined }) => [{ script: 'app.js', name: env ?? 'none' }];
    expect(defineConfig(made)).toBe(made);
    // @ts-expect-error a typo
    void (() => defineConfig({ apps: [{ script: 'app.js', max_memory_restrat: '1G' }] }));
    // @ts-expect-error a wrong type
    void (() => defineConfig({ apps: [{ script: 'app.js', wait_ready: 'yes' }] }));
  });

  it('can be required from CommonJS, as can the schema', () => {
    const require = createRequire(import.meta.url);
    expect(require('nsv/config').defineConfig([])).toEqual([]);
    expect(require('nsv/config/schema.json').definitions.app.properties).toHaveProperty('max_memory_restart');
  });
});

describe('a key of the config file', () => {
  it.each(Object.entries(fileKeys))('describes its values for editors: %s', (_name, { parse }) => {
    expect(parse.takes).toBeDefined();
  });
});
