// A command line of Node: its own options, the program that it runs, and the arguments of that. Pure.

export interface NodeWords {
  options: string[];
  /** A path, or a module in it: Node adds an extension, and looks into a directory. */
  script: string;
  args: string[];
}

/**
 * Options whose value may be the next word: https://nodejs.org/api/cli.html, Node 20 to 26. Options of V8 and those with an optional
 * value have it behind a `=`.
 */
const withValue: ReadonlySet<string> = new Set(
  `-C --conditions -r --require --import --loader --experimental-loader --env-file --env-file-if-exists --title
  --allow-fs-read --allow-fs-write --cpu-prof-dir --cpu-prof-interval --cpu-prof-name --diagnostic-dir --disable-proto
  --disable-warning --dns-result-order --experimental-config-file --experimental-default-type --experimental-package-map
  --experimental-policy --heap-prof-dir --heap-prof-interval --heap-prof-name --heapsnapshot-near-heap-limit
  --heapsnapshot-signal --icu-data-dir --inspect-port --debug-port --inspect-publish-uid --localstorage-file
  --max-http-header-size --max-old-space-size-percentage --network-family-autoselection-attempt-timeout --openssl-config
  --policy-integrity --redirect-warnings --report-dir --report-directory --report-filename --report-signal --secure-heap
  --secure-heap-min --security-revert --security-reverts --snapshot-blob --stack-trace-limit --tls-cipher-list
  --tls-keylog --trace-event-categories --trace-event-file-pattern --trace-require-module --unhandled-rejections
  --use-largepages --v8-pool-size --vfs-load --vfs-mount`.split(/\s+/),
);

/** With these, Node runs no program, or it runs it in a process of its own. */
const otherwise =
  /^(-([cehipv]|pe)$|--(check|completion-bash|eval|help|interactive|print|prof-process|run|v8-options|version)(=|$)|--(experimental-(sea|test)|bench|build|input-type|test|watch)\b)/;

/** Undefined if Node runs no program from a file in this process. */
export function parseNodeWords(words: readonly string[]): NodeWords | undefined {
  let at = 0;
  for (; words[at]?.startsWith('-'); at += 1) {
    const word = words[at]!;
    if (otherwise.test(word) || word === '-') return undefined;
    if (withValue.has(word)) at += 1;
    else if (word === '--') return split(words, at, at + 1);
  }
  return split(words, at, at);
}

function split(words: readonly string[], end: number, at: number): NodeWords | undefined {
  const script = words[at];
  return script === undefined ? undefined : { options: words.slice(0, end), script, args: words.slice(at + 1) };
}
