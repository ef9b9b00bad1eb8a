// How evenly connections are spread that are opened at once, right after the start, by clients that go on asking: nsv beside
// node:cluster, in turn. The busiest process is told in parts of the mean.
//   node bench/bursts.mjs [rounds] [--instances 2,4,8] [--connections 16,64,200] [--think 0,5,20,alone] [--bursts 1,3]
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { underNode, underNsv } from './contestants.mjs';
import { median, printTable, root } from './measure.mjs';

const lists = { instances: '2,4,8', connections: '16,64,200', think: '0,5,20,alone', bursts: '1,3' };
const options = Object.fromEntries(Object.keys(lists).map((name) => [name, { type: 'string' }]));
const { values, positionals } = parseArgs({ allowPositionals: true, options });
const rounds = Number(positionals[0] ?? 10);
const of = (name) => (values[name] ?? lists[name]).split(',');
const seconds = 3;

function ask(port, ...words) {
  const client = fork(join(root, 'bench', 'asking-connections.mjs'), [port, ...words, seconds].map(String));
  return new Promise((resolve, reject) => {
    client.once('message', resolve);
    client.once('exit', (code) => reject(new Error(`the clients ended with ${code}`)));
  });
}

async function inTurn(instances, ...words) {
  const pairs = [];
  for (let round = 0; round < rounds; round += 1) {
    const cluster = await underNode('rr', instances, undefined, (port) => ask(port, ...words));
    const nsv = await underNsv('kernel', instances, undefined, (port) => ask(port, ...words));
    pairs.push({ cluster, nsv });
  }
  return pairs;
}

const rounded = (number) => (Math.round(number * 100) / 100).toFixed(2);
const rows = [
  ['instances', 'connections', 'think ms', 'bursts', 'cluster', 'nsv', 'worst', 'p99', 'requests/s', 'lost'],
];
for (const instances of of('instances'))
  for (const connections of of('connections'))
    for (const think of of('think'))
      for (const bursts of think === 'alone' ? ['1'] : of('bursts')) {
        const pairs = await inTurn(Number(instances), connections, think, bursts);
        const busiest = (name) => pairs.map((pair) => pair[name].busiest / (connections / instances));
        const ratio = (value) => rounded(median(pairs.map(({ cluster, nsv }) => nsv[value] / cluster[value])));
        const lost = pairs.reduce((sum, { nsv }) => sum + nsv.failed + nsv.unanswered, 0);
        const spread = [median(busiest('cluster')), median(busiest('nsv')), Math.max(...busiest('nsv'))].map(rounded);
        rows.push([instances, connections, think, bursts, ...spread, ratio('p99'), ratio('rate'), String(lost)]);
      }
printTable(`busiest of the mean, median of ${rounds}; p99 and requests a second as parts of cluster's`, rows);
