// Reads the runtime settings in a record of an app.
import { parseRuntimeValues } from '../../ipc/app/runtime-settings.ts';
import type { RuntimeRecord } from '../process/record.ts';
import { countOf, fieldsOf, textOf } from './fields.ts';

/** Empty if the app has none. Throws an Error that says what is wrong. */
export function runtimeSettingsIn(record: unknown): { runtimeSettings?: RuntimeRecord } {
  const { runtimeSettings } = fieldsOf(record, 'app');
  if (runtimeSettings === undefined) return {};
  const { version, values, file } = fieldsOf(runtimeSettings, 'runtimeSettings');
  const given = { version: countOf(version, 'version'), values: parseRuntimeValues(values) };
  return { runtimeSettings: { ...given, ...(file !== undefined && { file: textOf(file, 'file') }) } };
}
