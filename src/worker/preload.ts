// Loaded with `--require` into every managed Node process before the user's program.
//
// It does nothing unless nsv started this very process, and keeps the event loop alive only while a `listen` of the app
// waits for the daemon.
import { join } from 'node:path';
import { clusterVariable, type DownMessage, daemonVariable, markVariable } from '../ipc/worker-messages.ts';
import { endChannel, hear, isConnected, outliveDaemon } from './channel.ts';
import { prepareForCrash } from './crash/crash.ts';
import { wantFailures } from './crash/failures.ts';
import { watchCluster } from './delegates/cluster-primary.ts';
import { joinCluster } from './delegates/cluster-worker.ts';
import { hurryAll } from './delegates/leave.ts';
import { joinThread } from './delegates/thread.ts';
import { hostThreads } from './delegates/thread-host.ts';
import { isThread } from './node-processes.ts';
import { prepareOutput } from './output.ts';
import { limitRequests } from './servers/request-limit.ts';
import { shutDown } from './shutdown.ts';
import { stayOut } from './sockets/accept-queue.ts';
import { interceptBind } from './sockets/bind.ts';
import { introduce, watchForMessages } from './sockets/classic.ts';
import { settle } from './sockets/grants.ts';
import { acceptConnection, dismiss, renew } from './sockets/handles.ts';
import { interceptListen } from './sockets/listen.ts';

hideFrom(process.execArgv);
const [address, mark, policy] = takeVariables();
// The main thread alone has a channel. Nor has a program that was started by anything else.
if (!isConnected() && isThread()) joinThread();
else {
  hostThreads();
  if (isConnected() && policy) joinCluster(policy);
  else if (isConnected()) joinDaemon();
}

function joinDaemon(): void {
  hear((message, handle) => {
    if (message.type === 'connection') acceptConnection(message.key, message.seq, handle);
    else if (message.type === 'again') renew(message.origin, handle);
    else if (message.type === 'server') introduce(message.key, handle, message.extra);
    else if (message.type === 'dismiss') dismiss(message.origin, message.extra);
    else if (message.type === 'queue') stayOut(message.out);
    else if (message.type === 'drain') shutDown(message);
    else if (message.type === 'hurry') hurryAll();
    else if (message.type === 'hello') begin(message);
    else if (message.type === 'failures') wantFailures(message.failures);
    else if (message.type === 'cut-off') endChannel(message.reason);
    else settle(message, handle);
  });
  if (address && mark) outliveDaemon(address, mark);
  watchForMessages();
  interceptListen();
  interceptBind();
  watchCluster();
  prepareOutput();
}

function takeVariables(): (string | undefined)[] {
  return [daemonVariable, markVariable, clusterVariable].map((name) => {
    const value = process.env[name];
    delete process.env[name];
    return value;
  });
}

function begin(hello: Extract<DownMessage, { type: 'hello' }>): void {
  prepareForCrash(hello);
  limitRequests(hello);
}

/** Removes the preload from `execArgv`, which processes forked by the app and its threads inherit. */
function hideFrom(execArgv: string[]): void {
  const self = join(import.meta.dirname, 'preload.js');
  const at = execArgv.findIndex((word, index) => word === '--require' && execArgv[index + 1] === self);
  if (at !== -1) execArgv.splice(at, 2);
}
