// Tests in a table of which `npm test` runs the first rows, and `npm run test:full` the others.
import { describe, it } from 'vitest';

type Run<Row extends unknown[]> = (...row: Row) => void | Promise<void>;
type Define<Row extends unknown[]> = (...row: Row) => void;

/** As `it.each`, but only the first `core` rows are part of `npm test`. */
export function variants<Row extends unknown[] | [unknown]>(
  rows: readonly Row[],
  core?: number,
): (title: string, run: Run<Row>) => void;
export function variants<Row>(rows: readonly Row[], core?: number): (title: string, run: Run<[Row]>) => void;
export function variants(rows: readonly unknown[], core = 1) {
  return (title: string, run: Run<unknown[]>) => {
    it.each(rows.slice(0, core))(title, run);
    it.each(rows.slice(core))(title, { tags: 'full' }, run);
  };
}

/** As `describe.each`, in the same way. */
export function describeVariants<Row extends unknown[] | [unknown]>(
  rows: readonly Row[],
  core?: number,
): (title: string, define: Define<Row>) => void;
export function describeVariants<Row>(
  rows: readonly Row[],
  core?: number,
): (title: string, define: Define<[Row]>) => void;
export function describeVariants(rows: readonly unknown[], core = 1) {
  return (title: string, define: Define<unknown[]>) => {
    describe.each(rows.slice(0, core))(title, define);
    describe.each(rows.slice(core))(title, { tags: 'full' }, define);
  };
}
