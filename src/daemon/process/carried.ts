// What a process carries in its environment, beside its mark, if it is started while the daemon cannot write its state: the
// settings of its app. So the next daemon knows an app of which there is no record, and settings that are newer than the
// record. Pure.
//
// Like the mark, the text begins with a code that only the owner of the home can compute; it holds for this process alone.
import { type AppSpec, parseAppSpec, withoutDefaults } from '../../config/app-spec.ts';
import { sharedEnvironmentOf } from '../../config/environment.ts';
import { isEqualText, type Mac } from '../../shared/crypto/mac.ts';

/** Linux refuses to start a program with a variable of more than 128 KB. */
const mostBytes = 100_000;

export interface Carried {
  /** Absent if they were too long to be carried, or this nsv cannot read them. */
  spec?: AppSpec;
}

/** `sequence`: that of the mark. The user of the app may see no more of the environment of the shell than the app does. */
export function renderCarried(sequence: number, spec: AppSpec, mac: Mac): string {
  const settings = JSON.stringify(withoutDefaults({ ...spec, env: sharedEnvironmentOf(spec) }));
  const text = `carried:${sequence}:${Buffer.byteLength(settings) > mostBytes ? '' : settings}`;
  return `${mac(text)}:${text}`;
}

/** Undefined if the text was not made with this key for this process. */
export function readCarried(text: string, sequence: number, mac: Mac): Carried | undefined {
  const [, code = '', signed = '', number, settings = ''] = /^([\da-f]+):(carried:(\d+):(.*))$/s.exec(text) ?? [];
  if (Number(number) !== sequence || !isEqualText(code, mac(signed))) return undefined;
  try {
    return { spec: parseAppSpec(JSON.parse(settings)) };
  } catch {
    return {};
  }
}
