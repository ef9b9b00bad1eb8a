// nsv's own work in the process, such as the answer to the question itself, is not what the user asks about.
import { isWorkerCode } from '../shared/code/own-code.ts';
import type { CallTree, Frame } from './call-tree.ts';

/** The calls without what they cost where nsv's worker was at work by itself: neither called by the app, nor calling it. */
export function withoutOwnWork({ unit, nodes }: CallTree): CallTree {
  const callsApp = nodes.map(({ frame }) => isOfApp(frame));
  for (let at = nodes.length - 1; at >= 0; at -= 1)
    callsApp[at] ||= nodes[at]!.children.some((child) => callsApp[child]);
  const isForApp: boolean[] = [];
  const isOwn: boolean[] = [];
  return {
    unit,
    nodes: nodes.map((node, at) => {
      const { frame, children } = node;
      isForApp[at] ||= isOfApp(frame);
      isOwn[at] ||= isOfWorker(frame) && !isForApp[at] && !callsApp[at];
      for (const child of children) [isForApp[child], isOwn[child]] = [isForApp[at], isOwn[at]];
      return isOwn[at] ? { ...node, self: 0 } : node;
    }),
  };
}

function isOfWorker({ url }: Frame): boolean {
  return isWorkerCode(url);
}

/** Neither of V8 or Node, nor of nsv. */
function isOfApp(frame: Frame): boolean {
  return frame.url !== '' && !frame.url.startsWith('node:') && !isOfWorker(frame);
}
