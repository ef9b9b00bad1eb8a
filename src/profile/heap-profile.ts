// Parses a `.heapprofile`, the sampled allocations that are still alive:
// https://chromedevtools.github.io/devtools-protocol/tot/HeapProfiler/#type-SamplingHeapProfile
import {
  amountOf,
  type CallNode,
  type CallTree,
  fieldsOf,
  listOf,
  mostNodes,
  ProfileError,
  parseFrame,
  parseJson,
} from './call-tree.ts';

/** Throws a ProfileError that says what is wrong. */
export function parseHeapProfile(text: string): CallTree {
  const given = [fieldsOf(parseJson(text).head, '"head"')];
  const nodes: CallNode[] = [];
  // Not by recursion: the process decides how deep it is.
  for (let at = 0; at < given.length; at += 1) {
    const { callFrame, selfSize, children } = given[at]!;
    const node: CallNode = { frame: parseFrame(callFrame), self: amountOf(selfSize, '"selfSize"'), children: [] };
    nodes.push(node);
    for (const child of listOf(children ?? [], '"children"')) {
      if (given.length >= mostNodes) throw new ProfileError(`it has more than ${mostNodes} nodes`);
      node.children.push(given.push(fieldsOf(child, 'a node')) - 1);
    }
  }
  return { unit: 'bytes', nodes };
}
