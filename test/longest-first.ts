// In which order the test files are run: what takes longest first, so that no long one is left at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** From the longest to the shortest. A pattern of a file that is small and waits long stands before its folder. */
const order = [/update-failing/, /\/test\/e2e\//, /\/test\/integration\//, /./];
const rank = ({ moduleId }: TestSpecification) => order.findIndex((pattern) => pattern.test(moduleId));

export class LongestFirst extends BaseSequencer {
  /** Within a folder by what is known of the last run, or else by size. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
