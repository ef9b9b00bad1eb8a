// Settings that only a config file has, not the command line: rows of the option table.
import { appReference } from '../app-name.ts';
import { field, optionalField } from './field.ts';
import { environment, listOf, text, variable } from './parsers.ts';

export const fileFields = {
  configFile: optionalField({ doc: 'config file that declares the app', parse: text }),
  configEnv: optionalField({ doc: 'environment of the config file that was chosen with --env', parse: text }),
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
  incrementVar: optionalField({
    doc: 'environment variable, such as PORT, that is incremented by 1 for each instance; counts from 0 if it is not set',
    parse: variable,
  }),
  dependsOn: field({
    doc: 'apps of the same file that must be ready before this one starts',
    parse: listOf(appReference),
    default: [],
  }),
  preStart: optionalField({
    doc: 'shell command to run before the app is started, restarted or reloaded; if it fails, the app is not started',
    parse: text,
  }),
  postStop: optionalField({
    doc: 'shell command to run after the app has stopped completely',
    parse: text,
  }),
};
