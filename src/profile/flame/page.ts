// A flame graph as one HTML file that loads nothing.
import { createHash } from 'node:crypto';
import type { FlameData } from './layout.ts';
import { script } from './script.ts';

const style = `
:root { color-scheme: light dark; font: 13px system-ui, sans-serif; }
body { margin: 16px; }
header { display: flex; gap: 16px; align-items: baseline; flex-wrap: wrap; }
h1 { font-size: 17px; margin: 0; }
input { font: inherit; padding: 3px 6px; }
#status { min-height: 3em; margin: 8px 0; overflow-wrap: anywhere; }
#graph { position: relative; }
button { position: absolute; height: 18px; padding: 0; text-indent: 3px; border: 0; border-right: 1px solid Canvas; border-radius: 0; overflow: hidden;
  text-align: left; text-overflow: ellipsis; white-space: nowrap; font: 12px ui-monospace, monospace; color: #111; cursor: pointer; }
.app, .app-key { background: #ff9f5a; } .package, .package-key { background: #f5d76e; }
.node, .node-key { background: #9cc7f0; } .engine, .engine-key { background: #c9c9c9; }
.caller { opacity: 0.55; } .found { background: #d98cf0; } button:hover { outline: 2px solid currentColor; z-index: 1; }
.key { padding: 1px 6px; color: #111; }
`;

/** The policy lets nothing run but this script, and nothing be loaded, whatever a name contains. */
export function flamePage(data: FlameData): string {
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>${escaped(data.title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escaped(data.title)}</h1>
<span><span class="key app-key">your code</span><span class="key package-key">node_modules</span><span
class="key node-key">Node</span><span class="key engine-key">V8</span></span>
<input id="search" type="search" placeholder="search" aria-label="search">
<span>click a bar to zoom in, Esc to zoom out</span>
</header>
<div id="status"></div>
<div id="graph"></div>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>
<script>${script}</script>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
