// What an ES module gets is the same.
export * from './index.cjs';
