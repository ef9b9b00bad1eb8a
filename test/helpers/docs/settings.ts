// Tables of what an app, a config file and the screen know.
import { settingText } from '../../../src/cli/render/setting.ts';
import { type FieldName, optionName } from '../../../src/config/app-spec.ts';
import { fileKeys, snakeCase } from '../../../src/config/file/keys.ts';
import { leftOutOfApp, leftOutOfFile } from '../../../src/config/file/left-out.ts';
import type { Field } from '../../../src/config/options/field.ts';
import { fields } from '../../../src/config/options/fields.ts';
import { bindings } from '../../../src/monit/keys.ts';
import { page, table } from './markdown.ts';

const optionRows = (Object.entries(fields) as [FieldName, Field<unknown>][]).map(([key, row]) => [
  `\`${key}\``,
  row.flag ? `\`${row.flag}\`` : '',
  row.shown ?? onOrOff(row) ?? defaultOf(row),
  row.doc,
]);

export function config(): string {
  return page('The settings of an app', [
    `Durations are milliseconds, or have a unit: 500, 5s, 1m, 2h, 1d. Sizes have a unit too: 300M, 1G. Settings without a
flag are set by \`nsv start\` itself or in a [config file](config-file.md).`,
    table(['name', 'flag', 'default', 'meaning'], optionRows),
    `\`--disable-logs\` sets \`${optionName('outFile')}\`, \`${optionName('errorFile')}\` and \`${optionName('logFile')}\` to \`/dev/null\`;
\`--node-args\` is \`${optionName('interpreterArgs')}\`.`,
  ]);
}

export function fileKeyTable(): string {
  const rows = Object.entries(fileKeys).map(([name, { also, doc, shown }]) => {
    const row = (fields as Record<string, Field<unknown>>)[name];
    return [`\`${snakeCase(name)}\``, also.join(', '), shown ?? (row && defaultOf(row)) ?? 'none', doc];
  });
  return table(['key', 'also', 'default', 'meaning'], rows);
}

export function keyTable(): string {
  return table(
    ['key', 'what it does'],
    bindings.map(({ shown, about }) => [shown, about]),
  );
}

export function leftOut(): string {
  const rows = Object.entries({ ...leftOutOfFile, ...leftOutOfApp }).map(([key, reason]) => [`\`${key}\``, reason]);
  return table(['key', 'why'], rows);
}

/** A switch that a flag turns off is on. */
function onOrOff(row: Field<unknown>): string | undefined {
  if (typeof row.default !== 'boolean') return undefined;
  return row.default ? 'on' : 'off';
}

function defaultOf(row: Field<unknown>): string {
  if (!('default' in row)) return 'required';
  return settingText(row, row.default) || 'none';
}
