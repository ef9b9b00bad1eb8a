// Wants the lock named by its first argument, says how that went, and holds what it got until it is killed.
import { acquireLock, type LockName } from '../../src/os/lock/lock.ts';
import { homePaths } from '../../src/shared/paths.ts';

const [, , name, way] = process.argv;
const lock = await acquireLock(homePaths(), name as LockName);
process.stdout.write(lock ? 'held\n' : 'refused\n');
// A lock holds no event loop open.
if (lock && way !== 'leaves') setInterval(() => {}, 60_000);
