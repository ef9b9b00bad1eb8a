// Settings that a config file has and the command line has not: rows of the option table.
import type { Field } from './fields.ts';
import { environment, listOf, optional, type Parser, text, variable } from './parsers.ts';

const field = <T>(row: { parse: Parser<T>; doc: string; default: NoInfer<T>; shown?: string }): Field<T> => row;

export const fileFields = {
  configFile: field({ doc: 'config file that declares the app', parse: optional(text), default: undefined }),
  fileEnv: field({
    doc: 'what its config file says of the environment',
    parse: environment,
    default: {},
    shown: 'none',
  }),
  instanceVar: field({
    doc: 'environment variable that holds the number of the instance, from 0',
    parse: variable,
    default: 'NODE_APP_INSTANCE',
  }),
  incrementVar: field({
    doc: 'environment variable, such as PORT, that grows by 1 with each instance',
    parse: optional(variable),
    default: undefined,
  }),
  dependsOn: field({
    doc: 'apps of the same file that must be ready before this one is started',
    parse: listOf(text),
    default: [],
  }),
  preStart: field({
    doc: 'shell command to run before nsv starts, restarts or reloads the app; if it fails, nothing is started',
    parse: optional(text),
    default: undefined,
  }),
  postStop: field({
    doc: 'shell command to run when the app was stopped and nothing of it is left',
    parse: optional(text),
    default: undefined,
  }),
};
