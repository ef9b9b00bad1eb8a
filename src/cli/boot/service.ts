// What the system is to start at boot, whatever its init system is.

export interface BootService {
  /** By which the system knows it. */
  name: string;
  user: string;
  /** The user's home directory. */
  directory: string;
  /** The nsv home. */
  home: string;
  /** The PATH on which apps find their programs. */
  path: string;
  /** Node and the program of the command line, by absolute paths: at boot nobody has set up a version manager. */
  node: string;
  main: string;
  /** There is `systemd-notify`. */
  canNotify: boolean;
}

/** In each file: by it `nsv unstartup` knows what it may remove. */
export const generatedMarker = 'Written by "nsv startup"; "nsv unstartup" removes it.';

/** Seconds for all apps to stop; where the daemon can, it asks for more if a kill timeout is longer. */
export const stopSeconds = 90;

/** So often within so many seconds the daemon may end badly; then it is left alone, and the apps go on. */
export const restarts = { most: 10, within: 60 };

/** Open files of each process. Node takes as many as it may, and the apps have its limit. */
export const openFiles = 524_288;

export function serviceCommand({ node, main }: BootService): [program: string, ...args: string[]] {
  return [node, main, 'daemon', '--foreground'];
}
