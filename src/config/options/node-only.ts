// Settings that nsv carries out inside the process, which it can do in Node alone.
import { failure } from '../../shared/errors.ts';
import type { AppSpec } from '../app-spec.ts';

/** Throws UNSUPPORTED for a program other than Node that has one of them, as it would run without it, and nobody would notice. */
export function expectNodeFor(spec: AppSpec): AppSpec {
  const { name, node, listenEach, schedule } = spec;
  if (node) return spec;
  const refuse = (what: string, instead: string) =>
    failure('UNSUPPORTED', { what, reason: `"${name}" is not run by Node; ${instead}` });
  if (listenEach !== undefined) throw refuse('--listen-each', 'give each instance its own PORT with "increment_var"');
  if (schedule === 'sticky')
    throw refuse('--schedule sticky', 'give each instance its own PORT with "increment_var", and let a proxy choose');
  return spec;
}
