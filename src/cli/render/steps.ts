// Renders the steps of `nsv apply`, one line per app.
import type { FieldName } from '../../config/app-spec.ts';
import type { Field } from '../../config/options/field.ts';
import { fields } from '../../config/options/fields.ts';
import type { ApplyStep, Change } from '../plans/config-files/apply-plan.ts';
import { settingText } from './setting.ts';
import { printable } from './text.ts';

export function renderSteps(steps: readonly ApplyStep[]): string {
  const changing = steps.filter(({ action }) => action !== 'keep');
  if (changing.length === 0) return 'nothing to do: the apps match the config file';
  return changing.map(({ action, name, changes }) => line(action, name, changes)).join('\n');
}

function line(action: string, name: string, changes: readonly Change[]): string {
  const differences = [...(action === 'repair' ? ['not ready'] : []), ...changes.map(changeText)].join(', ');
  return printable(`${action.padEnd(6)}  ${name}${differences && `: ${differences}`}`);
}

export function changeText({ setting, before, after }: Change): string {
  if (setting === 'fileEnv') return `env (${differingNames(before, after).join(', ')})`;
  return `${setting} ${valueText(setting, before)} -> ${valueText(setting, after)}`;
}

/** Only the names of variables: their values may be passwords. */
function differingNames(before: unknown, after: unknown): string[] {
  const [one, other] = [before ?? {}, after ?? {}] as Record<string, string>[];
  const names = [...new Set([...Object.keys(one!), ...Object.keys(other!)])];
  return names.filter((name) => one![name] !== other![name]).sort();
}

function valueText(setting: FieldName, value: unknown): string {
  return settingText(fields[setting] as Field<unknown>, value) || 'none';
}
