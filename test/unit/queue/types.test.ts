// The types of `nsv/queue`. What is not called here is checked by the compiler (`npm run types`).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as declared from '../../../queue/index.cjs';
import * as library from '../../../src/queue/index.ts';

const declarations = readFileSync(join(import.meta.dirname, '..', '..', '..', 'queue', 'index.d.cts'), 'utf8');

describe('the types of nsv/queue', () => {
  it('declare exactly what the module exports', () => {
    const names = [...declarations.matchAll(/^export declare (?:const|function) (\w+)/gm)].map(([, name]) => name);
    expect(Object.keys(library).sort()).toEqual(names.sort());
  });

  it('match the implementation', () => {
    // The compiler adds `default` to what a CommonJS module declares.
    expectTypeOf<typeof library>().toExtend<Omit<typeof declared, 'default'>>();
    expectTypeOf<Omit<typeof declared, 'default'>>().toExtend<typeof library>();
  });

  it('infer the data and the results of a queue', () => {
    const queue = () => library.createQueue<{ order: number }, string>('exports');
    type Exports = ReturnType<typeof queue>;
    expectTypeOf<Parameters<Exports['add']>[0]>().toEqualTypeOf<{ order: number }>();
    expectTypeOf<ReturnType<Exports['waitFor']>>().toEqualTypeOf<Promise<string>>();
    expectTypeOf<NonNullable<Awaited<ReturnType<Exports['get']>>>['data']>().toEqualTypeOf<{ order: number }>();
    // @ts-expect-error no such option
    const wrong = () => library.createQueue('exports', { concurency: 2 });
    // @ts-expect-error a handler returns what the queue says
    const alsoWrong = () => queue().process(({ data }) => data.order);
    expect([wrong, alsoWrong]).toHaveLength(2);
  });
});
