// The entry point for programs: `connect`. The types are in api/index.d.cts, the examples in docs/api.md.
export { NsvError } from '../shared/errors.ts';
export { connect } from './connect.ts';
