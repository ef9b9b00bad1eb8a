// What `nsv doctor` has found, as dist/doctor hands it to the command line.
export interface Finding {
  /** Names the check. */
  code: string;
  /** Something is wrong, or could be better. */
  level: 'problem' | 'advice';
  what: string;
  /** What to do: mostly a command. */
  remedy: string;
}

export interface Examination {
  home: string;
  findings: Finding[];
  /** What was looked at, for people. */
  looked: string[];
}
