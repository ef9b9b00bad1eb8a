// Runs code that somebody types, as `node` does at its prompt: with `require` and a top-level `await`.
import { inspect } from 'node:util';
import type { Inspection } from './inspection.ts';

/** Milliseconds without an `await`. */
const longestRun = 5_000;
const shown = { depth: 4, maxArrayLength: 100, maxStringLength: 10_000 };
/** Characters. */
const longestText = 1_000_000;

interface Remote {
  type: string;
  subtype?: string;
  objectId?: string;
  value?: unknown;
  unserializableValue?: string;
  description?: string;
}

interface Evaluated {
  result: Remote;
  exceptionDetails?: { text: string; exception?: Remote };
}

/** Runs in the process, so that getters and proxies are shown as `util.inspect` does. */
const render = `function (options) {
  'use strict';
  return process.getBuiltinModule('node:util').inspect(this, options);
}`;

/** Where the code ends and what runs it begins. */
const ownFrames = /\n +at Session\.post \(node:inspector[\s\S]*?(?=\n(?! +at )|$)/;

export async function evaluate(code: string, inspection: Inspection): Promise<{ text: string; threw: boolean }> {
  const { result, exceptionDetails } = await run(code, inspection);
  if (exceptionDetails) {
    const { exception, text } = exceptionDetails;
    const thrown = exception ? `Uncaught ${await textOf(exception, inspection)}` : text;
    return { text: thrown.replace(ownFrames, '').slice(0, longestText), threw: true };
  }
  return { text: (await textOf(result, inspection)).slice(0, longestText), threw: false };
}

async function run(code: string, inspection: Inspection): Promise<Evaluated> {
  const options = { replMode: true, awaitPromise: true, includeCommandLineAPI: true, timeout: longestRun };
  try {
    return await inspection.post<Evaluated>('Runtime.evaluate', { expression: code, ...options });
  } catch (error) {
    if (!String(error).includes('Execution was terminated')) throw error;
    const text = `Interrupted: it ran for ${longestRun / 1_000} s without an "await"`;
    return { result: { type: 'undefined' }, exceptionDetails: { text } };
  }
}

async function textOf(remote: Remote, inspection: Inspection): Promise<string> {
  const { objectId, unserializableValue, value } = remote;
  if (objectId === undefined) return unserializableValue ?? inspect(remote.subtype === 'null' ? null : value, shown);
  const { result } = await inspection.post<Evaluated>('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: render,
    arguments: [{ value: shown }],
  });
  return typeof result.value === 'string' ? result.value : (remote.description ?? remote.type);
}
