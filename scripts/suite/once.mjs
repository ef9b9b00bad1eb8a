// Runs vitest once and writes what became of each file: node scripts/suite/once.mjs RESULTS ONLY [vitest arguments]
// ONLY is the one file to run, in place of those that the arguments name; '' for all that they name.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseCLI, startVitest } from 'vitest/node';

const [results, only, ...words] = process.argv.slice(2);
const { filter, options } = parseCLI(['vitest', 'run', ...words]);
const isOfTier = tier([options.tagsFilter].flat()[0]);
await startVitest('test', only ? [only] : filter, {
  ...options,
  watch: false,
  reporters: ['default', { onTestRunEnd: (modules, errors) => write(modules, errors) }],
});

function write(modules, errors) {
  const files = modules.map((module) => {
    const all = [...module.children.allTests()];
    const tests = all.filter(isOfTier);
    const count = (state) => tests.filter((test) => test.result().state === state).length;
    return {
      file: module.relativeModuleId,
      duration: module.diagnostic().duration,
      passed: count('passed'),
      skipped: count('skipped'),
      elsewhere: all.length - tests.length,
      failed: failuresOf(module, tests),
    };
  });
  const unowned = [];
  for (const error of errors) {
    const name = error.VITEST_TEST_PATH && relative(process.cwd(), error.VITEST_TEST_PATH);
    const file = files.find((each) => each.file === name);
    if (file) file.failed.push({ test: 'an unhandled error', error: messageOf(error) });
    else unowned.push(messageOf(error));
  }
  writeFileSync(results, JSON.stringify({ files, errors: unowned }));
}

/** `--tags-filter` with one tag, or with `!` before it for the tests that do not have it. vitest reports the others as skipped. */
function tier(wanted) {
  if (!wanted) return () => true;
  const tag = wanted.replace('!', '');
  return ({ tags }) => tags.includes(tag) === (tag === wanted);
}

/** `test` is empty for what failed outside of a test. */
function failuresOf(module, tests) {
  const failures = [];
  for (const test of tests) {
    const { state, errors } = test.result();
    if (state === 'failed') failures.push({ test: test.fullName, error: messageOf(errors?.[0]) });
    if (state === 'pending') failures.push({ test: test.fullName, error: 'did not come to its end' });
  }
  const outside = [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())];
  failures.push(...outside.map((error) => ({ test: '', error: messageOf(error) })));
  if (failures.length === 0 && !module.ok()) failures.push({ test: '', error: 'did not come to its end' });
  return failures;
}

function messageOf(error) {
  return error ? `${error.name ?? 'Error'}: ${error.message}` : 'no error was reported';
}
