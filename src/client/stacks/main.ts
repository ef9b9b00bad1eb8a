// A program of its own, which looks into one blocked process for the watchdog: what can speak with an inspector, and what reads source
// maps, need not be in the memory of the daemon. Its arguments are the pid and the start time, or a stack that is known already.
import { standingOf } from '../../os/blocked/standing.ts';
import { detailOf } from '../../shared/errors.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import { stackByInspector } from './attach.ts';
import { positionsIn } from './question.ts';
import { longestName, type ReportedFrame, type StackReport } from './report.ts';
import { type Position, SourceMaps } from './source-maps.ts';
import { whyNoStack } from './why-no-stack.ts';

async function look(pid: number, startTime: number): Promise<StackReport> {
  const problem = whyNoStack({ attachable: true, startTime }, standingOf(pid));
  if (problem !== undefined) return { type: 'none', problem };
  try {
    const positions = await stackByInspector({ pid, startTime }, (from) => send({ type: 'signalled', from }));
    return reportOf(positions);
  } catch (error) {
    return { type: 'none', problem: detailOf(error).slice(0, longestName) };
  }
}

function frameOf({ functionName, url, line, column = -1 }: Position): ReportedFrame {
  const from1 = (position: number) => (position < 0 ? null : position + 1);
  return {
    function: functionName.slice(0, longestName),
    file: url.slice(0, longestName),
    line: from1(line),
    column: from1(column),
  };
}

function placeOf(positions: Position[]): string {
  const own = positions.find(({ url }) => url !== '' && !url.startsWith('node:')) ?? positions[0]!;
  const { function: name, file, line } = new SourceMaps().frameOf(own);
  const place = line === null ? file : `${file}:${line}`;
  return (name === '' ? place : `${name} (${place})`).slice(0, longestName);
}

function send(report: StackReport): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

function reportOf(positions: Position[]): StackReport {
  if (positions.length === 0) return { type: 'none', problem: 'its event loop turns again' };
  return { type: 'stack', frames: positions.map(frameOf), at: placeOf(positions) };
}

const [first = '', startTime] = process.argv.slice(2);
const report =
  startTime === undefined ? reportOf(positionsIn(JSON.parse(first))) : look(Number(first), Number(startTime));
Promise.resolve(report).then(send).catch(throwUncaught);
