// Events as clients see them, and as they are in the journal.

import type { DeathCause } from '../records/deaths.ts';
import type { AppMessage, Exit, ProblemKind } from '../views.ts';

/** Bytes; each absent for output that goes to no file. */
export interface LogsAt {
  out?: number | undefined;
  err?: number | undefined;
}

/** An event. `id`, `slot` and `pid` are absent if it concerns the app as a whole. */
export interface EventView {
  type:
    | 'start'
    | 'online'
    | 'ready-timeout'
    | 'not-ready'
    | 'ready-again'
    | 'not-alive'
    | 'exit'
    | 'restart'
    | 'request-limit'
    | 'blocked'
    | 'leak'
    | 'not-exiting'
    | 'kill-timeout'
    | 'requests-cut'
    | 'channel-closed'
    | 'spawn-failed'
    | 'giveup'
    | 'held'
    | 'dependency'
    | 'reload'
    | 'scale'
    | 'delete'
    | 'message'
    | 'rotate'
    | 'delete-logs'
    | 'problem'
    | 'solved'
    | 'reload-failed'
    | 'warning'
    | 'command'
    | 'command-failed'
    | 'replace'
    | 'not-replaced'
    | 'leaving'
    | 'daemon'
    | 'settings-changed';
  /** Milliseconds since 1970. */
  at: number;
  /** Absent for events of the daemon, of several apps, and of a log file, which several apps may share. */
  app?: string;
  /** The apps, if there are several: for `command` and `command-failed`, and for `problem` and `solved` of a log that they share. */
  apps?: string[];
  id?: number;
  slot?: number;
  pid?: number;
  /** For `start`: the bytes that its log files had. */
  logsAt?: LogsAt;
  /** For `exit`. */
  exit?: Exit;
  /** For `exit`: what has ended it, in a word. */
  cause?: DeathCause;
  /** For `exit`: whether it was requested. */
  asked?: boolean;
  /** For `restart`: milliseconds until the restart. */
  delay?: number;
  /** For `held`: the apps that it waits for. */
  waitsFor?: string[];
  /** For `dependency`: an app that this one depends on, and whether it is ready. */
  on?: string;
  ready?: boolean;
  /** For `giveup`, `restart`, `blocked`, `spawn-failed`, `channel-closed`, `replace`, `reload-failed`, `leaving`, `not-ready` and `not-alive`. */
  reason?: string;
  /** For `request-limit` and `requests-cut`: the number of requests. */
  requests?: number;
  /** For `leak`: by how many bytes an hour the memory grows, and the milliseconds until it reaches its limit; null without one. */
  perHour?: number;
  left?: number | null;
  /** For `scale`: the number of instances from now on. */
  instances?: number;
  /** For `settings-changed`: the version of the runtime settings, and the keys whose values have changed. */
  version?: number;
  keys?: string[];
  /** For `rotate`: the log file, and what it was renamed to. For `problem` and `solved`: the file, if one of several has the problem. */
  file?: string;
  to?: string;
  /** For `rotate`: bytes at the beginning of the log that are gone, because it was longer than what may be kept. */
  dropped?: number;
  /** For `delete-logs`. */
  files?: string[];
  /** For `moved`, `not-exiting`, `kill-timeout`, `problem`, `reload-failed`, `warning`, `command-failed` and `daemon`. */
  detail?: string;
  /** For `problem` and `solved`: what has the problem. */
  about?: ProblemKind;
  /** For `message`: what the app sent with `process.send({ type, data })`. */
  message?: AppMessage;
  /** For `command` and `command-failed`: what the daemon was asked to do, such as `restart`. */
  method?: string;
  /** For `command`: who asked. */
  by?: CallerView;
  /** In the journal, for events that stand for several of the same kind: how many, and when the first one was. */
  count?: number;
  since?: number;
}

/** Who gave a command, as the client told: nobody checks it. Each field is absent if unknown. */
export interface CallerView {
  /** The name of the user who has logged in: that of the shell above `sudo`. */
  user?: string;
  uid?: number;
  /** Such as `/dev/pts/3`. */
  terminal?: string;
  /** The address that the user has logged in from by ssh. */
  host?: string;
  pid?: number;
  /** The command line, without values that may be secret, or the program that uses the API. */
  command?: string;
  /** The signal to the daemon that was the command. */
  signal?: string;
}

/** The end of the journal of events: all earlier events are before it, and later ones behind. */
export interface JournalEnd {
  /** The number of the file (st_ino), which may be rotated meanwhile; 0 if there is none. */
  file: number;
  bytes: number;
}
