// Renders the runtime settings of one app for `nsv config`.
import type { RuntimeHolder, RuntimeSettingsView } from '../../../ipc/app/views.ts';
import { renderLabelled } from '../labelled.ts';
import type { Paint } from '../paint.ts';
import { printable } from '../text.ts';

export function renderRuntimeSettings(view: RuntimeSettingsView, paint: Paint): string {
  const { name, version, values, file, problem, processes } = view;
  const head = version === 0 ? 'no runtime settings' : `version ${version}`;
  const settings = Object.entries(values).map(([key, value]) => [printable(key), JSON.stringify(value)] as const);
  return [
    `${paint('key', printable(name))}  ${head}${file === null ? '' : `, from ${printable(file)}`}`,
    ...(problem === null ? [] : [`  ${paint('bad', printable(`the file is not in force: ${problem}`))}`]),
    ...renderLabelled(settings, paint),
    ...missing(version, processes).map((line) => `  ${paint('warning', line)}`),
  ].join('\n');
}

/** All have confirmed it, or these have not. */
function missing(version: number, processes: readonly RuntimeHolder[]): string[] {
  return processes
    .filter((process) => (process.version ?? 0) !== version)
    .map(({ slot, pid, version: held }) => {
      const has = held === null ? 'has confirmed no version yet' : `still has version ${held}`;
      return `instance ${slot} (pid ${pid}) ${has}: it gets version ${version} when it responds`;
    });
}
