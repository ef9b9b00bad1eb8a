// Whether this tree can be released: run by `npm publish` before the tests (docs/releasing.md).
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const read = (file) => readFileSync(join(root, file), 'utf8');
const { version } = JSON.parse(read('package.json'));
const { GITHUB_REF_TYPE: kind, GITHUB_REF_NAME: tag } = process.env;

const problems = [];
for (const file of ['package.json', 'SECURITY.md', 'CHANGELOG.md']) {
  if (read(file).includes('example.com'))
    problems.push(`${file} has an address at example.com, which is a placeholder`);
}
if (!read('CHANGELOG.md').includes(`\n## [${version}] - `)) problems.push(`CHANGELOG.md has no section for ${version}`);
if (kind === 'tag' && tag !== `v${version}`)
  problems.push(`the tag is ${tag}, and package.json has version ${version}`);

for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
