// Runs the tests: node scripts/test.mjs [--busy] [vitest arguments]
// A file that failed is run once more, alone, when all others are done. If it passes then, its failures are printed as
// wobbles and kept in wobbles.log, and the run is green; more than five such files are too many.
// --busy: four busy loops run beside the tests, until files are run again.
// NSV_TEST_RESULTS: a file for what became of each file, and how long it took, for bench/suite.mjs.
import { writeFileSync } from 'node:fs';
import { startBusyLoops } from './suite/busy-loops.mjs';
import { keepWobbles, repeat, run } from './suite/run.mjs';
import { verdict } from './suite/verdict.mjs';

const words = process.argv.slice(2).filter((word) => word !== '--busy');
const stopLoops = process.argv.includes('--busy') ? startBusyLoops(4) : () => {};

const first = await run({ words });
stopLoops();
if (process.env.NSV_TEST_RESULTS) writeFileSync(process.env.NSV_TEST_RESULTS, JSON.stringify(first));
const { lines, wobbles, code } = verdict(first, await repeat(first, { words }));
keepWobbles(wobbles);
console.log(`\n${lines.join('\n')}`);
process.exitCode = code;
