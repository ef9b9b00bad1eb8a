// Ends at once on a Node that is too old, before anything fails in a way that does not say so. `main.ts` imports this first.

/** As `engines` in package.json says. */
const oldest = [20, 19] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  const { version, execPath } = process;
  console.error(`nsv: Node ${version} (${execPath}) is too old: nsv needs Node ${oldest.join('.')} or newer`);
  console.error('     install a newer one, or set NSV_NODE to the path of one');
  process.exit(2);
}
