// Errors of requests: bad input, or something that does not exist.
import { didYouMean } from '../nearest.ts';
import type { ErrorRows } from './row.ts';

export const requests = {
  BAD_USAGE: {
    exitCode: 2,
    message: (p: { detail: string }) => p.detail,
    hint: 'run "nsv --help" to see the commands, "nsv <command> --help" to see their options',
  },
  BAD_OPTION: {
    exitCode: 2,
    message: (p: { problems: string[] }) => p.problems.join('; '),
    hint: 'run the command with --help to see what each option takes',
  },
  NO_SUCH_APP: {
    exitCode: 3,
    message: (p: { target: string; guess?: string | undefined }) =>
      `no app matches "${p.target}"${didYouMean(p.guess)}`,
    hint: 'run "nsv list" to see the names in use',
  },
  PART_OF_AN_APP: {
    exitCode: 2,
    message: (p: { name: string; chosen: number; instances: number }) =>
      `cannot delete only ${p.chosen} of the ${p.instances} instances of "${p.name}"`,
    hint: 'name the app to delete all of them, or run "nsv scale" to have fewer',
  },
  NO_SUCH_SCRIPT: {
    exitCode: 3,
    message: (p: { script: string; guess?: string | undefined; refusal?: string | undefined }) =>
      p.refusal === undefined
        ? `"${p.script}" is not a file, a program on the PATH, or a known app${didYouMean(p.guess)}`
        : `"${p.script}" cannot be read: ${p.refusal}`,
    hint: 'check the path, or run "nsv list" to see the names in use',
  },
  NO_PACKAGE_SCRIPT: {
    exitCode: 3,
    message: (p: { script: string; file: string; others: string[] }) =>
      `"${p.file}" has no script "${p.script}"; it has ${p.others.length === 0 ? 'none' : p.others.map((name) => `"${name}"`).join(', ')}`,
    hint: 'add the script, name one that is there (nsv start "npm run <script>"), or name a file',
  },
  BAD_PACKAGE: {
    exitCode: 2,
    message: (p: { file: string; detail: string }) => `cannot read "${p.file}": ${p.detail}`,
    hint: 'fix the file: nsv reads it to find the script to run',
  },
  NO_SUCH_INTERPRETER: {
    exitCode: 3,
    message: (p: { interpreter: string; script: string }) =>
      `the interpreter "${p.interpreter}" for "${p.script}" was not found`,
    hint: 'install it, or choose another one with --interpreter',
  },
  NO_SUCH_DIRECTORY: {
    exitCode: 3,
    message: (p: { directory: string }) => `"${p.directory}" is not a directory`,
    hint: 'create it, or choose another one',
  },
  BAD_CONFIG: {
    exitCode: 2,
    message: (p: { file: string; mistakes: number }) =>
      `found ${p.mistakes === 1 ? 'an error' : `${p.mistakes} errors`} in ${p.file}; nothing was changed`,
    hint: 'fix the file and run the command again',
  },
  BAD_APP: {
    exitCode: 2,
    message: (p: { problems: string[] }) => `invalid settings: ${p.problems.join('; ')}`,
    hint: 'fix the settings and call again; the types of the package list all of them',
  },
  NO_CONFIG: {
    exitCode: 3,
    message: (p: { directory: string }) => `no config file found in ${p.directory}`,
    hint: 'name a file, or create nsv.config.js (.ts, .mjs, .cjs, .json, .yaml) or ecosystem.config.js',
  },
  CONFIG_OF_OTHERS: {
    exitCode: 3,
    message: (p: { file: string; what: string; owner: number }) =>
      `found ${p.file}, but did not use it: ${p.what === p.file ? 'it' : p.what} belongs to user ${p.owner}`,
    hint: 'check what it does, since it runs as you, then pass its name as an argument',
  },
  CANNOT_STRIP_TYPES: {
    exitCode: 3,
    message: (p: { script: string; version: string }) =>
      `"${p.script}" is TypeScript, which Node ${p.version} does not run by itself`,
    hint: 'install tsx and add --node-args "--import tsx", or use Node 22.18 or newer',
  },
  CANNOT_RENAME: {
    exitCode: 5,
    message: (p: { name: string; detail: string }) => `"${p.name}" cannot be renamed: ${p.detail}`,
    hint: 'choose another name; run "nsv list" to see those in use',
  },
  ALREADY_RUNNING: {
    exitCode: 5,
    message: (p: { name: string; way?: string }) =>
      `"${p.name}" is already running${p.way === undefined ? '' : `: run "${p.way}" to give it the settings of the file`}`,
    hint: 'use "nsv restart" or "nsv reload", which take new settings, or "nsv scale"; --force replaces it, and another --name starts a second app',
  },
} satisfies ErrorRows;
