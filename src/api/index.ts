// What programs import: the daemon, by `connect`. Its types are api/index.d.cts; the examples docs/api.md.
export { NsvError } from '../shared/errors.ts';
export { connect } from './connect.ts';
