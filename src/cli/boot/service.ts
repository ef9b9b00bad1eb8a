// The service to start at boot, independent of the init system.

export interface BootService {
  /** The name of the service. */
  name: string;
  user: string;
  /** The user's home directory. */
  directory: string;
  /** The nsv home. */
  home: string;
  /** The PATH of the apps. */
  path: string;
  /** Absolute paths of Node and the nsv command line: at boot, no version manager is set up. */
  node: string;
  main: string;
  /** Whether `systemd-notify` is available. */
  canNotify: boolean;
  /** Whether systemd can give the daemon a cgroup of its own below the one that it delegates (`DelegateSubgroup=`). */
  canDelegate: boolean;
}

/** Written to each file, so that `nsv unstartup` recognises the files that it may remove. */
export const generatedMarker = 'Written by "nsv startup"; "nsv unstartup" removes it.';

/** Seconds for all apps to stop; the daemon asks for more, where it can, if a kill timeout is longer. */
export const stopSeconds = 90;

/** After `most` failures within `within` seconds, the daemon is not restarted any more; the apps keep running. */
export const restarts = { most: 10, within: 60 };

/** The limit of open files. Node raises its own to the maximum, and apps inherit it. */
export const openFiles = 524_288;

export function serviceCommand({ node, main }: BootService): [program: string, ...args: string[]] {
  return [node, main, 'daemon', '--foreground'];
}
