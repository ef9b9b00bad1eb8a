// The version of systemd, which decides what its units may contain.
import { spawnSync } from 'node:child_process';

/** Undefined without systemd. */
export function systemdVersion(): number | undefined {
  const { stdout } = spawnSync('systemctl', ['--version'], { encoding: 'utf8', timeout: 5_000 });
  // The first line is `systemd 254 (254.5-1)`.
  const [, version] = /^systemd (\d+)/.exec(stdout ?? '') ?? [];
  return version === undefined ? undefined : Number(version);
}
