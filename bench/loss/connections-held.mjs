// Which connections a process has accepted, as the kernel knows it: it is stopped, its descriptors are read, it is killed.
// What it might have written down itself would lack the connection between its accept(2) and the line in a log.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** SIGKILL; returns the ports of the clients whose connections the process held at that moment. */
export function killKnowing(pid) {
  process.kill(pid, 'SIGSTOP');
  while (stateOf(pid) !== 'T');
  const sockets = socketsOf(pid);
  const tables = ['tcp', 'tcp6'].map((name) => readFileSync(`/proc/net/${name}`, 'latin1'));
  process.kill(pid, 'SIGKILL');
  return new Set(tables.flatMap((table) => remotePorts(table, sockets)));
}

function stateOf(pid) {
  return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))[1];
}

/** Inodes. */
function socketsOf(pid) {
  const folder = `/proc/${pid}/fd`;
  const links = readdirSync(folder).map((fd) => readlinkSync(`${folder}/${fd}`));
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}

/** proc(5): the third word is the remote address, in hexadecimal; the tenth the inode, 0 until accept(2). */
function remotePorts(table, sockets) {
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/));
  return rows.filter(([, , , , , , , , , inode]) => sockets.has(inode)).map(([, , remote]) => portOf(remote));
}

function portOf(address) {
  return Number.parseInt(address.split(':')[1], 16);
}
