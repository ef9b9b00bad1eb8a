// Settings that only a config file has, not the command line: rows of the option table.
import type { Field } from './fields.ts';
import { environment, listOf, optional, type Parser, text, variable } from './parsers.ts';

const field = <T>(row: { parse: Parser<T>; doc: string; default: NoInfer<T>; shown?: string }): Field<T> => row;

export const fileFields = {
  configFile: field({ doc: 'config file that declares the app', parse: optional(text), default: undefined }),
  fileEnv: field({
    doc: 'environment variables from the config file, and those of a script of package.json',
    parse: environment,
    default: {},
    shown: 'none',
  }),
  instanceVar: field({
    doc: 'environment variable that holds the number of the instance, starting at 0',
    parse: variable,
    default: 'NODE_APP_INSTANCE',
  }),
  incrementVar: field({
    doc: 'environment variable, such as PORT, that is incremented by 1 for each instance; counts from 0 if it is not set',
    parse: optional(variable),
    default: undefined,
  }),
  dependsOn: field({
    doc: 'apps of the same file that must be ready before this one starts',
    parse: listOf(text),
    default: [],
  }),
  preStart: field({
    doc: 'shell command to run before the app is started, restarted or reloaded; if it fails, the app is not started',
    parse: optional(text),
    default: undefined,
  }),
  postStop: field({
    doc: 'shell command to run after the app has stopped completely',
    parse: optional(text),
    default: undefined,
  }),
};
