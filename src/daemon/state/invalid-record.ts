// Records of apps that cannot be used: they are set aside one by one, in a file beside the state or the saved list that
// a person can read, and the other apps go on.
import { writeAtomically } from '../../shared/atomic-file.ts';
import { detailOf } from '../../shared/errors.ts';

export interface InvalidRecord {
  /** As the record has it, if it is a string. */
  name: string | undefined;
  /** What is wrong, in words for people. */
  problem: string;
  record: unknown;
}

/** `read` throws an Error for a record that cannot be used. Throws if `records` is not a list. */
export function parseEach<T extends { spec: { name: string } }>(
  records: unknown,
  read: (record: unknown) => T,
): { apps: T[]; invalid: InvalidRecord[] } {
  if (!Array.isArray(records)) throw new Error('the apps are not a list');
  const apps = new Map<string, T>();
  const invalid: InvalidRecord[] = [];
  for (const record of records) {
    try {
      const app = read(record);
      if (apps.has(app.spec.name)) throw new Error('there is another app of this name');
      apps.set(app.spec.name, app);
    } catch (error) {
      invalid.push({ name: nameIn(record), problem: detailOf(error), record });
    }
  }
  return { apps: [...apps.values()], invalid };
}

function nameIn(record: unknown): string | undefined {
  const { name } = Object((Object(record) as { spec?: unknown }).spec) as { name?: unknown };
  return typeof name === 'string' ? name : undefined;
}

/** The file that `quarantine` writes is named after `file`, followed by this and the time in milliseconds since 1970. */
export const asideSuffix = '.apps-';

/** Keeps the records in a file of their own. `problems`: messages for people, one for each app. */
export function quarantine(
  file: string,
  invalid: readonly InvalidRecord[],
  wall: number,
): { problems: string[]; isKept: boolean } {
  if (invalid.length === 0) return { problems: [], isKept: true };
  const aside = `${file}${asideSuffix}${wall}`;
  const failed = keep(aside, invalid);
  const problems = invalid.map(({ name, problem }) => {
    const app = name === undefined ? 'an app without a name' : `"${name}"`;
    return `${app} was set aside: its record in ${file} cannot be used: ${problem}; ${failed ?? `the record was moved to ${aside}`}`;
  });
  return { problems, isKept: failed === undefined };
}

/** Returns why they cannot be kept. */
function keep(aside: string, invalid: readonly InvalidRecord[]): string | undefined {
  try {
    writeAtomically(aside, `${JSON.stringify(invalid, null, 1)}\n`);
    return undefined;
  } catch (error) {
    return `failed to write the record to ${aside}: ${detailOf(error)}`;
  }
}
