// Whether a Node can run TypeScript, and the flags it needs for that.
import { failure } from '../../shared/errors.ts';

export interface NodeFacts {
  /** Without the "v". */
  version: string;
  /** `process.features.typescript`: how it strips types by default. */
  strips: string | false;
}

/** Whether a loader that handles TypeScript is preloaded, such as tsx or ts-node. */
export function loadsSomething(nodeArgs: readonly string[], env: Record<string, string>): boolean {
  const words = [...nodeArgs, ...(env.NODE_OPTIONS ?? '').split(' ')];
  return words.some((word) =>
    /^(--import|--require|-r|--(experimental-)?loader|--experimental-(strip|transform)-types)(=|$)/.test(word),
  );
}

/** The flags that let this Node run the script. Throws CANNOT_STRIP_TYPES. */
export function stripFlags({ version, strips }: NodeFacts, script: string): string[] {
  if (strips) return [];
  // https://nodejs.org/api/typescript.html: behind a flag since 22.6, by default since 22.18 and 23.6.
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if ((major === 22 && minor >= 6) || major === 23) return ['--experimental-strip-types'];
  throw failure('CANNOT_STRIP_TYPES', { script, version });
}
