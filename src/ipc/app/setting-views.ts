// Views of runtime settings that the daemon sends to clients, and what a change of them is.

/** Runtime settings by key. Every value is what JSON can hold. */
export type RuntimeValues = Readonly<Record<string, unknown>>;

/** Where the runtime settings of an app come from, and who has them. */
export interface RuntimeSettingsView {
  name: string;
  /** Counts the changes; 0 if there was none. */
  version: number;
  /** Values that look like secrets are masked, unless the caller asks for them. */
  values: RuntimeValues;
  /** The file that is watched for changes; null if there is none. */
  file: string | null;
  /** Why the content of the file is not in force; null if it is. */
  problem: string | null;
  /** The running processes. */
  processes: RuntimeHolder[];
}

export interface RuntimeHolder {
  id: number;
  /** Number of the instance within its app, from 0. */
  slot: number;
  pid: number;
  /** The version that the process has last confirmed; null if none. */
  version: number | null;
}

/** What a change does, all of it or nothing. With a `file`, the values are those of the file; null keeps the values. */
export interface RuntimeChange {
  set?: RuntimeValues;
  unset?: readonly string[];
  file?: string | null;
}
