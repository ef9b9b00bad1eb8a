// Errors of requests: bad input, or something that does not exist.
import type { ErrorRows } from './row.ts';

export const requests = {
  BAD_USAGE: {
    exitCode: 2,
    message: (p: { detail: string }) => p.detail,
    hint: 'run "nsv --help" to see the commands and their options',
  },
  BAD_OPTION: {
    exitCode: 2,
    message: (p: { problems: string[] }) => `cannot use these options: ${p.problems.join('; ')}`,
    hint: 'run the command with --help to see what each option takes',
  },
  NO_SUCH_APP: {
    exitCode: 3,
    message: (p: { target: string }) => `cannot find an app matching "${p.target}"`,
    hint: 'run "nsv list" to see the names in use',
  },
  NO_SUCH_SCRIPT: {
    exitCode: 3,
    message: (p: { script: string }) => `cannot find "${p.script}": no such file, program on the PATH, or app`,
    hint: 'check the path, or run "nsv list" to see the names in use',
  },
  NO_SUCH_INTERPRETER: {
    exitCode: 3,
    message: (p: { interpreter: string; script: string }) =>
      `cannot find the interpreter "${p.interpreter}" for "${p.script}"`,
    hint: 'install it, or name another one with --interpreter',
  },
  NO_SUCH_DIRECTORY: {
    exitCode: 3,
    message: (p: { directory: string }) => `cannot use "${p.directory}": it is not a directory`,
    hint: 'create it, or name another one',
  },
  BAD_CONFIG: {
    exitCode: 2,
    message: (p: { file: string; mistakes: number }) =>
      `cannot use the config file ${p.file}: it has ${p.mistakes === 1 ? 'a mistake' : `${p.mistakes} mistakes`}; nothing was done`,
    hint: 'correct it; docs/config-file.md has all keys with what they take',
  },
  BAD_APP: {
    exitCode: 2,
    message: (p: { problems: string[] }) => `cannot use these settings: ${p.problems.join('; ')}`,
    hint: 'correct them; docs/config-file.md has all keys with what they take',
  },
  NO_CONFIG: {
    exitCode: 3,
    message: (p: { directory: string }) => `cannot find a config file in ${p.directory}`,
    hint: 'name one, or call it nsv.config.js (.ts, .mjs, .cjs, .json, .yaml) or ecosystem.config.js',
  },
  CANNOT_STRIP_TYPES: {
    exitCode: 3,
    message: (p: { script: string; version: string }) =>
      `cannot run "${p.script}": Node ${p.version} does not run TypeScript by itself`,
    hint: 'install tsx and add --node-args "--import tsx", or use Node 22.18 or newer',
  },
  ALREADY_RUNNING: {
    exitCode: 5,
    message: (p: { name: string }) => `cannot start "${p.name}": an app of that name is already running`,
    hint: 'use "nsv restart", "nsv reload" or "nsv scale" on it, another --name, or --force to replace it',
  },
} satisfies ErrorRows;
