// Measures `nsv/queue`, and attacks it: node bench/queue/run.mjs <chaos|throughput|rate> [--store sqlite|redis|bullmq] [--tasks n] [--processes n] [--full]
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    store: { type: 'string', default: 'sqlite' },
    tasks: { type: 'string', default: '10000' },
    processes: { type: 'string', default: '4' },
    concurrency: { type: 'string' },
    full: { type: 'boolean', default: false },
  },
});
const { store, full } = values;
const [tasks, processes] = [values.tasks, values.processes].map(Number);

switch (positionals[0]) {
  case 'chaos': {
    const { chaos } = await import('./chaos.mjs');
    const found = await chaos({ store, tasks, processes, concurrency: Number(values.concurrency ?? 2) });
    console.log(found);
    process.exitCode = found.problems.length > 0 ? 1 : 0;
    break;
  }
  case 'throughput': {
    const { throughput } = await import('./throughput.mjs');
    const rows = await throughput({ store, tasks, full, concurrency: Number(values.concurrency ?? 8) });
    console.log(rows);
    break;
  }
  case 'rate': {
    const { rate } = await import('./rate.mjs');
    const found = await rate();
    console.log(found);
    process.exitCode = found.problems.length > 0 ? 1 : 0;
    break;
  }
  default:
    console.error('name one of: chaos, throughput, rate');
    process.exitCode = 2;
}
