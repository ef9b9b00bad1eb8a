// The tags that a test may have: those that vitest.config.ts declares. Others are errors of the compiler.
import 'vitest';

declare module 'vitest' {
  interface TestTags {
    tags: 'full';
  }
}
