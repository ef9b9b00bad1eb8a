// Renders the details of one app for `nsv show`.
import type { FieldName } from '../../config/app-spec.ts';
import { sharedEnvironmentOf } from '../../config/environment.ts';
import { lineFormatOf } from '../../config/logs.ts';
import type { Field } from '../../config/options/field.ts';
import { fields } from '../../config/options/fields.ts';
import { fileFields } from '../../config/options/file-fields.ts';
import type { AppView, ProcessView } from '../../ipc/views.ts';
import { shellWord } from '../../shared/shell-word.ts';
import { count, renderDuration, renderSize } from '../../shared/units.ts';
import type { Revision } from '../facts/repository.ts';
import { deathText, exitText } from './deaths/words.ts';
import { growthText } from './growth.ts';
import { type LabelledLine, renderLabelled } from './labelled.ts';
import type { Paint } from './paint.ts';
import { settingText } from './setting.ts';
import { printable } from './text.ts';

/** What the command has found out about the files of the app. */
export interface Findings {
  version?: string | undefined;
  nodeVersion?: string | undefined;
  revision?: Revision | undefined;
}

export function renderDetails(app: AppView, findings: Findings, paint: Paint): string {
  const sections = [
    section(`app ${app.spec.name}`, basics(app, findings), paint),
    section('settings that differ from the defaults', differing(app), paint),
    ...app.processes.map((process) => section(`process ${process.id}`, facts(process, app.spec), paint)),
  ];
  return sections.filter((text) => text !== '').join('\n\n');
}

/** A section without lines is empty. */
function section(title: string, lines: readonly LabelledLine[], paint: Paint): string {
  const rows = renderLabelled(lines, paint);
  return rows.length === 0 ? '' : [paint('key', printable(title)), ...rows].join('\n');
}

function basics(app: AppView, { version = '', nodeVersion = '', revision }: Findings): LabelledLine[] {
  const { spec, problems, createdAt, processes } = app;
  return [
    ['namespace', spec.namespace],
    ['program', spec.script],
    ['version', version],
    ['git revision', revision ? revisionText(revision) : ''],
    ['arguments', spec.args.map(shellWord).join(' ')],
    ['interpreter', [spec.interpreter ?? 'none', ...spec.interpreterArgs.map(shellWord)].join(' ')],
    ['node version', nodeVersion],
    ['directory', spec.cwd],
    ['instances', String(spec.instances)],
    ['mode', processes[0]?.mode ?? ''],
    ['sockets', socketText(app)],
    ...problems.map((problem): LabelledLine => ['problem', `${problem.about}: ${problem.detail}`]),
    ['log lines', lineText(spec)],
    ['created', new Date(createdAt).toISOString()],
    ['variables', `${Object.keys(sharedEnvironmentOf(spec)).length} (nsv env ${shellWord(spec.name)})`],
  ];
}

function revisionText({ commit, branch }: Revision): string {
  return `${commit.slice(0, 10)}${branch === undefined ? '' : ` (${branch})`}`;
}

function socketText({ spec, sockets, processes }: AppView): string {
  const isLost = !spec.node && sockets.length < spec.listen.length && processes.some(({ pid }) => pid !== null);
  return isLost
    ? 'held only by the running processes, because the daemon crashed: run nsv stop, then nsv start'
    : sockets.join(', ');
}

/** How lines are formatted for the log. */
function lineText(spec: AppView['spec']): string {
  const format = lineFormatOf(spec);
  if (!format) return 'unchanged';
  const { json, merge, date, prefix } = format;
  if (!json && date === null && !prefix) return 'unchanged';
  if (json)
    return `JSON objects${merge ? ', merged with lines that are JSON' : ''}${date === null ? '' : `, time as ${date}`}`;
  return `with ${[...(date === null ? [] : [`time as ${date}`]), ...(prefix ? ['name and slot'] : [])].join(', ')}`;
}

const shownAbove: readonly FieldName[] = [
  'name',
  'namespace',
  'cwd',
  'interpreter',
  'interpreterArgs',
  'instances',
  'fileEnv',
];

function differing({ spec }: AppView): LabelledLine[] {
  const rows = Object.entries(fields) as [FieldName, Field<unknown>][];
  return rows
    .filter(([key, { flag }]) => (flag !== undefined || Object.hasOwn(fileFields, key)) && !shownAbove.includes(key))
    .map(([key, row]) => [key, settingText(row, spec[key]), settingText(row, row.default)] as const)
    .filter(([, value, otherwise]) => value !== otherwise)
    .map(([key, value]) => [key, value || 'none']);
}

/** The app has inherited the output of `nsv run`, or of a daemon in the foreground. */
const passedOn = 'passed through by nsv';

function facts(process: ProcessView, spec: AppView['spec']): LabelledLine[] {
  return [
    ['slot', String(process.slot)],
    ['status', statusText(process, spec)],
    ['reload', reloadText(process)],
    ['last death', process.lastDeath ? deathText(process.lastDeath) : ''],
    ['pid', orNothing(process.pid, String)],
    ['started', orNothing(process.since, (since) => new Date(since).toISOString())],
    ['uptime', orNothing(process.uptime, renderDuration)],
    ['restarts', String(process.restarts)],
    ['planned restarts', process.planned === 0 ? '' : `${process.planned}, by a command, a schedule or a changed file`],
    ['cut short', process.cutShort === 0 ? '' : `killed with ${count(process.cutShort, 'request')} in flight`],
    ['last exit', process.lastExit ? exitText(process.lastExit) : ''],
    ['cpu', orNothing(process.cpu, (percent) => `${percent.toFixed(1)}%`)],
    ['memory', orNothing(process.memory, renderSize)],
    ['leak', process.leak ? growthText(process.leak) : ''],
    ['ports', process.ports.join(', ')],
    ['queues', (process.queues ?? []).join(', ')],
    ['output', process.outFile ?? passedOn],
    ['errors', process.errorFile ?? passedOn],
    ['both', process.logFile ?? ''],
  ];
}

function reloadText({ problems = [] }: ProcessView): string {
  const failed = problems.find(({ about }) => about === 'reload');
  return failed ? `failed ${renderDuration(failed.ago)} ago: ${failed.detail}` : '';
}

function statusText(process: ProcessView, { watch }: AppView['spec']): string {
  const { status, silent, unready, reason, waitsFor = [], finished, scheduled, completed } = process;
  if (finished) {
    const next = [...(scheduled ? ['on its cron schedule'] : []), ...(watch.length > 0 ? ['when a file changes'] : [])];
    const then = next.length > 0 ? `runs again ${next.join(' or ')}` : 'will not run again by itself';
    return `${completed ? 'completed' : 'ended'}: ${then}`;
  }
  if (scheduled) return `${status}: runs on its cron schedule`;
  if (unready !== undefined) return `${status}, not ready: ${unready}`;
  if (silent) return 'running without a port';
  if (status === 'held') return `held: waits until ${waitsFor.join(', ')} ${waitsFor.length > 1 ? 'are' : 'is'} ready`;
  return reason === null ? status : `${status}: ${reason}`;
}

function orNothing(value: number | null, render: (value: number) => string): string {
  return value === null ? '' : render(value);
}
