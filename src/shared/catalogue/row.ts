// The parts of an error.

export interface ErrorRow {
  exitCode: number;
  // biome-ignore lint/suspicious/noExplicitAny: each row types its own parameters; `failure` recovers them.
  message: (params: any) => string;
  /** `<name>` stands for the parameter `name`. */
  hint: string;
}

export type ErrorRows = Record<string, ErrorRow>;
