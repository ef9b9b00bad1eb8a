// Says what is wrong with a Node that nsv cannot manage, instead of failing at something that it lacks. `preload.ts` imports this first.
if (!('getBuiltinModule' in process)) {
  const { version, execPath } = process as NodeJS.Process;
  throw new Error(
    `nsv needs Node 20.19 or newer for its apps too: ${execPath} is Node ${version}; choose another with --interpreter`,
  );
}
