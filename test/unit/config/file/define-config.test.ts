// `nsv/config`, as a user's config file imports it.
import { createRequire } from 'node:module';
import { type ConfigExport, defineConfig } from 'nsv/config';
import { describe, expect, it } from 'vitest';
import { fileKeys } from '../../../../src/config/file/keys.ts';

describe('defineConfig', () => {
  it('returns what it is given, and knows the keys', () => {
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

  it('is there for CommonJS too, with the schema beside it', () => {
    const require = createRequire(import.meta.url);
    expect(require('nsv/config').defineConfig([])).toEqual([]);
    expect(require('nsv/config/schema.json').definitions.app.properties).toHaveProperty('max_memory_restart');
  });
});

describe('a key', () => {
  it.each(Object.entries(fileKeys))('tells editors what it takes: %s', (_name, { parse }) => {
    expect(parse.takes).toBeDefined();
  });
});
