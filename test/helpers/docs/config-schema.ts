// What editors need for config files: a JSON Schema and the types of `nsv/config`, both generated from the keys.
import { fileKeys, snakeCase, spellingsOf } from '../../../src/config/file/keys.ts';
import { leftOutOfApp, leftOutOfFile } from '../../../src/config/file/left-out.ts';
import type { JsonSchema } from '../../../src/config/options/parsers.ts';

/** Draft 7, which editors support best. */
export function schemaText(): string {
  const app = { $ref: '#/definitions/app' };
  const whole = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Config file of nsv',
    anyOf: [{ $ref: '#/definitions/file' }, { type: 'array', items: app }, app],
    definitions: {
      file: {
        type: 'object',
        required: ['apps'],
        properties: {
          $schema: { type: 'string' },
          apps: { description: 'The apps.', anyOf: [{ type: 'array', items: app, minItems: 1 }, app] },
          ...withoutEffect(leftOutOfFile),
        },
        patternProperties: { '^x-': {} },
        additionalProperties: false,
      },
      app: {
        type: 'object',
        anyOf: spellingsOf('script').map((spelling) => ({ required: [spelling] })),
        properties: { ...properties(), ...withoutEffect(leftOutOfApp) },
        patternProperties: { '^env_(?!file$)': takenBy('env'), '^x-': {} },
        additionalProperties: false,
      },
    },
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** The type declarations of `nsv/config`. */
export function typesText(): string {
  const keys = Object.keys(fileKeys).flatMap((name) => spellingsOf(name).map((spelling) => member(name, spelling)));
  const members = [...keys, ...Object.entries(leftOutOfApp).map(ineffective)];
  return `// Written by \`npm run docs\` from the tables in src/config: change those.

/** An app of a config file. Each key may be written in snake_case or in camelCase. */
export interface AppConfig {
${members.join('\n')}
  /** Variables for \`--env <name>\`, over those of \`env\`. */
  [environment: \`env_\${string}\`]: ${typeOf(takenBy('env'))} | string | readonly string[] | undefined;
  /** For whoever writes the file. */
  [free: \`x-\${string}\`]: unknown;
}

/** A config file as an object. */
export interface ConfigFile {
  apps: AppConfig | readonly AppConfig[];
${Object.entries(leftOutOfFile).map(ineffective).join('\n')}
  /** For whoever writes the file. */
  [free: \`x-\${string}\`]: unknown;
}

/** What a config file holds. */
export type Config =
  | AppConfig
  | readonly AppConfig[]
  | ConfigFile;

/** What it may export. \`env\` is the name behind \`--env\`. */
export type ConfigExport = Config | Promise<Config> | ((given: { env: string | undefined }) => Config | Promise<Config>);

/** Returns what it is given: an editor then knows the keys, and what they mean. */
export declare function defineConfig(config: ConfigExport): ConfigExport;
`;
}

function takenBy(name: string): JsonSchema {
  return fileKeys[name]?.parse.takes ?? {};
}

function properties() {
  const rows = Object.entries(fileKeys).flatMap(([name, { doc }]) =>
    spellingsOf(name).map((spelling) => [spelling, { description: doc, ...takenBy(name) }] as const),
  );
  return Object.fromEntries(rows);
}

function withoutEffect(keys: Readonly<Record<string, string>>) {
  const rows = Object.entries(keys).map(([key, reason]) => [key, { description: `No effect: ${reason}.` }] as const);
  return Object.fromEntries(rows);
}

function member(name: string, spelling: string): string {
  const main = snakeCase(name);
  const doc = spelling === main ? fileKeys[name]!.doc : `The same as \`${main}\`.`;
  return `  /** ${doc} */\n  ${spelling}?: ${typeOf(takenBy(name))};`;
}

function ineffective([key, reason]: [string, string]): string {
  return `  /** No effect: ${reason}. */\n  ${key}?: unknown;`;
}

function typeOf({ type, enum: words, anyOf, items, additionalProperties, properties }: JsonSchema): string {
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' | ');
  if (words) return words.map((word) => JSON.stringify(word)).join(' | ');
  if (Array.isArray(type)) return [...new Set(type.map((each) => typeOf({ type: each })))].join(' | ');
  if (type === 'array') return `readonly (${typeOf(items ?? {})})[]`;
  if (properties)
    return `{ ${Object.entries(properties)
      .map(([key, of]) => `${key}?: ${typeOf(of)}`)
      .join('; ')} }`;
  if (type === 'object') return `Readonly<Record<string, ${memberType((additionalProperties ?? {}) as JsonSchema)}>>`;
  if (type === 'integer') return 'number';
  return typeof type === 'string' ? type : 'unknown';
}

/** Undefined counts as absent: `{ DEBUG: process.env.DEBUG }`. */
function memberType(schema: JsonSchema): string {
  const type = typeOf(schema);
  return type === 'unknown' ? type : `${type} | undefined`;
}
