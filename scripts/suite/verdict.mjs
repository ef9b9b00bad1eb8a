// Judges a run of the tests in which each file that failed was run once more, alone.

/** More files than this are not run again: whatever became of them, the run would be red. */
export const mostWobbles = 5;

/** The files that deserve another chance. */
export function filesToRepeat({ files }) {
  const failed = files.filter(isRed).map(({ file }) => file);
  return failed.length > mostWobbles ? [] : failed;
}

/**
 * `first`: the result of all files. `repeated`: what became of the files of `filesToRepeat`, by file; undefined if vitest
 * itself failed. Returns the lines to print, those among them that tell of wobbles, and the exit code.
 */
export function verdict(first, repeated) {
  const red = first.files.filter(isRed);
  const isWobble = ({ file }) => repeated.get(file) !== undefined && !isRed(repeated.get(file));
  const wobbling = red.filter(isWobble);
  const broken = red.filter((each) => !isWobble(each));
  const wobbles = wobbling.flatMap((each) => spell('wobbled', each));
  const failures = broken.flatMap((each) => spell('failed', repeated.get(each.file) ?? each));
  const errors = first.errors.map((error) => `failed: ${error}`);
  const lines = [...wobbles, ...failures, ...errors];
  if (red.length > mostWobbles) lines.push(`${red.length} files failed: more than ${mostWobbles} are not run again`);

  const last = first.files.map((each) => repeated.get(each.file) ?? each);
  const sum = (count) => last.reduce((total, each) => total + count(each), 0);
  const counts = {
    passed: sum((each) => each.passed),
    failed: sum((each) => each.failed.length),
    skipped: sum((each) => each.skipped),
    elsewhere: sum((each) => each.elsewhere),
  };
  counts.failed += errors.length;
  if (counts.elsewhere > 0) lines.push(`not run: ${counts.elsewhere} of the other tier`);
  lines.push(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return { lines, wobbles, code: counts.failed > 0 || counts.passed + counts.skipped === 0 ? 1 : 0 };
}

function isRed({ failed }) {
  return failed.length > 0;
}

function spell(word, { file, failed }) {
  return failed.map(
    ({ test, error }) => `${word}: ${file}${test && ` > ${test}`}\n  ${error.replaceAll('\n', '\n  ')}`,
  );
}
