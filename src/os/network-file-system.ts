// File systems that several machines can mount at once. Locks and Unix sockets on them work within one machine only.
import { statfsSync } from 'node:fs';

/** Magic numbers of statfs(2). FUSE is not among them: most often it is a local disk seen from a container. */
const names = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x47504653, 'GPFS'],
]);

/** The name of the network file system that a directory lies on; undefined if it lies on another one. */
export function networkFileSystemOf(directory: string): string | undefined {
  try {
    return names.get(statfsSync(directory).type);
  } catch {
    return undefined;
  }
}
