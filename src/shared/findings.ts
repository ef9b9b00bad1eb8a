// The findings of `nsv doctor`, as dist/doctor passes them to the command line.
export interface Finding {
  /** Names the check. */
  code: string;
  /** `problem`: something is wrong. `advice`: something could be better. */
  level: 'problem' | 'advice';
  what: string;
  /** What to do, usually a command. */
  remedy: string;
}

export interface Examination {
  home: string;
  findings: Finding[];
  /** The checks that were made, for display. */
  looked: string[];
}
