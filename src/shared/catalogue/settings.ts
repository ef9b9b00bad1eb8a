// Errors of runtime settings (`nsv config`).
import type { ErrorRows } from './row.ts';

export const settings = {
  BAD_SETTINGS: {
    exitCode: 2,
    message: (p: { problem: string }) => `invalid runtime settings: ${p.problem}`,
    hint: 'run "nsv config set --help" to see what is allowed; nothing was changed',
  },
  SETTINGS_REJECTED: {
    exitCode: 6,
    message: (p: { name: string; reasons: string[] }) =>
      `the runtime settings of "${p.name}" were not changed: ${p.reasons.join('; ')}`,
    hint: 'every process keeps the settings that it has; the reason comes from a check in the app',
  },
  SETTINGS_FROM_FILE: {
    exitCode: 7,
    message: (p: { name: string; file: string }) => `the runtime settings of "${p.name}" come from ${p.file}`,
    hint: 'change that file, or run "nsv config <app> --no-file" first, which keeps the values and watches the file no longer',
  },
  CANNOT_USE_SETTINGS: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) => `failed to use the settings in ${p.file}: ${p.detail}`,
    hint: 'nothing was changed; fix the file, which must hold one object, in JSON or YAML',
  },
} satisfies ErrorRows;
