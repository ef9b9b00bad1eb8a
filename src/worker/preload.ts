// Loaded with `--require` into every managed Node process before the user's program.
//
// It does nothing unless nsv started this very process, and keeps the event loop alive only while a `listen` of the app
// waits for the daemon.
import './oldest-node.ts';
import { join } from 'node:path';
import {
  attachFlag,
  clusterVariable,
  type DownMessage,
  daemonVariable,
  heldPortsVariable,
  instancesVariable,
  listenEachVariable,
  markVariable,
  settingsVariable,
} from '../ipc/worker-messages.ts';
import { isForApp, offerBridge, passToApp } from './app-bridge.ts';
import { offerAttaching } from './attachable.ts';
import { endChannel, isConnected, onDaemonMessage, outliveDaemon } from './channel.ts';
import { prepareForCrash } from './crash/crash.ts';
import { setWantedErrors } from './crash/handled-errors.ts';
import { watchCluster } from './delegates/cluster-primary.ts';
import { joinCluster } from './delegates/cluster-worker.ts';
import { stopKeepingIdleEverywhere } from './delegates/leave.ts';
import { joinThread } from './delegates/thread.ts';
import { hostThreads } from './delegates/thread-host.ts';
import { reportWhenLoaded } from './loading.ts';
import { isThread } from './node-processes.ts';
import { prepareOutput } from './output.ts';
import { isQuestion, onQuestion } from './questions.ts';
import { heldSettings, isAboutSettings, onSettings, readInitialSettings, reportSettings } from './runtime-settings.ts';
import { limitRequests } from './servers/request-limit.ts';
import { greet, shutDown } from './shutdown/life.ts';
import { reportHandlers } from './shutdown/stop-handlers.ts';
import { leaveQueues } from './sockets/accept-queue.ts';
import { interceptBind } from './sockets/bind.ts';
import { introduce, watchForMessages } from './sockets/classic.ts';
import { settle } from './sockets/grants.ts';
import { renew } from './sockets/handles.ts';
import { interceptListen } from './sockets/listen.ts';
import { listenInsteadOn } from './sockets/listen-each.ts';
import { onPortChecked, watchForPortCheckers } from './sockets/port-checkers.ts';
import { serveProbe } from './sockets/probed.ts';
import { isAboutSpread, onSpread } from './sockets/spread.ts';
import { beUnready } from './sockets/unready.ts';
import { prepareStackThread } from './stack-thread.ts';

const ours = takeFrom(process.execArgv);
const [address, mark, policy, instances, settings, heldPorts, ownPort] = takeVariables();
// The main thread alone has a channel. Nor has a program that was started by anything else.
if (!isConnected() && isThread()) joinThread();
else {
  hostThreads();
  if (isConnected() && policy) joinCluster(policy);
  else if (isConnected()) joinDaemon();
}

function joinDaemon(): void {
  onDaemonMessage((message, handle) => {
    if (isAboutSpread(message)) onSpread(message, handle);
    else if (message.type === 'restore-socket') renew(message.origin, handle);
    else if (message.type === 'server') introduce(message.key, handle);
    else if (message.type === 'accept-queue') leaveQueues(message.out);
    else if (message.type === 'probe') serveProbe(message.key, message.seq, handle);
    else if (message.type === 'unready') beUnready(message.on);
    else if (message.type === 'drain') shutDown(message);
    else if (message.type === 'stop-keeping-idle') stopKeepingIdleEverywhere();
    else if (message.type === 'hello') begin(message);
    else if (message.type === 'wanted-errors') setWantedErrors(message.wantedErrors);
    else if (message.type === 'close-channel') endChannel(message.reason);
    else if (message.type === 'port-checked') onPortChecked(message);
    else if (isQuestion(message)) onQuestion(message);
    else if (isForApp(message)) passToApp(message);
    else if (isAboutSettings(message)) onSettings(message);
    else settle(message, handle);
  });
  readInitialSettings(settings);
  offerBridge(instances);
  offerAttaching(ours);
  if (address && mark) outliveDaemon(address, mark);
  watchForMessages();
  if (ownPort !== undefined) listenInsteadOn(Number(ownPort));
  interceptListen();
  interceptBind();
  if (heldPorts !== undefined) watchForPortCheckers(portsIn(heldPorts));
  watchCluster();
  prepareOutput();
  reportWhenLoaded();
}

function takeVariables(): (string | undefined)[] {
  const names = [
    ...[daemonVariable, markVariable, clusterVariable, instancesVariable],
    ...[settingsVariable, heldPortsVariable, listenEachVariable],
  ];
  return names.map((name) => {
    const value = process.env[name];
    delete process.env[name];
    return value;
  });
}

function portsIn(list: string): number[] {
  return list === '' ? [] : list.split(',').map(Number);
}

function begin(hello: Extract<DownMessage, { type: 'hello' }>): void {
  greet(hello);
  prepareForCrash(hello);
  limitRequests(hello);
  reportHandlers();
  if (hello.stackThread) prepareStackThread(hello.stackThread);
  if (heldSettings().version > 0) reportSettings();
}

/** Removes what nsv has put into `execArgv`, which processes forked by the app and its threads inherit. */
function takeFrom(execArgv: string[]): string[] {
  const self = join(import.meta.dirname, 'preload.js');
  const at = execArgv.findIndex((word, index) => word === '--require' && execArgv[index + 1] === self);
  return at === -1 ? [] : execArgv.splice(at, execArgv[at + 2] === attachFlag ? 3 : 2);
}
