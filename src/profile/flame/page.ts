// A flame graph as one HTML file that loads nothing.
import { createHash } from 'node:crypto';
import type { FlameData } from './layout.ts';

// What runs in the page of a flame graph. It is text, because nothing of it runs in nsv. Names come from an untrusted process: they
// are only ever set as text.
const script = `
'use strict';
const { unit, functions, bars } = JSON.parse(document.getElementById('data').textContent);
const graph = document.getElementById('graph');
const status = document.getElementById('status');
const search = document.getElementById('search');
const rowHeight = 19;
const narrowest = 0.0007;
const parents = [];
const above = [];
bars.forEach(([, depth], index) => {
  above[depth] = index;
  parents.push(depth === 0 ? -1 : above[depth - 1]);
});
let focus = 0;

function amount(value) {
  if (unit === 'bytes') return value < 1048576 ? (value / 1024).toFixed(1) + ' kB' : (value / 1048576).toFixed(1) + ' MB';
  return value < 1000000 ? (value / 1000).toFixed(1) + ' ms' : (value / 1000000).toFixed(2) + ' s';
}

function about(index) {
  const [fn, , , total, self] = bars[index];
  const [name, place] = functions[fn];
  const share = ((100 * total) / Math.max(1, bars[0][3])).toFixed(1);
  return name + (place ? '  ' + place : '') + '  ' + amount(total) + ' (' + share + ' %), itself ' + amount(self);
}

function callersOf(index) {
  const callers = new Set();
  for (let at = parents[index]; at >= 0; at = parents[at]) callers.add(at);
  return callers;
}

function draw() {
  const callers = callersOf(focus);
  const [, , from, whole] = bars[focus];
  const word = search.value.toLowerCase();
  const drawn = [];
  const inside = [];
  let deepest = 0;
  bars.forEach(([fn, depth, start, total], index) => {
    inside[index] = index === focus || inside[parents[index]] === true;
    const isCaller = callers.has(index);
    const left = isCaller ? 0 : (start - from) / Math.max(1, whole);
    const width = isCaller ? 1 : total / Math.max(1, whole);
    if (!isCaller && (!inside[index] || width < narrowest)) return;
    const [name, place, origin] = functions[fn];
    const bar = document.createElement('button');
    bar.className = origin + (isCaller ? ' caller' : '');
    if (word && (name + ' ' + place).toLowerCase().includes(word)) bar.className += ' found';
    bar.style.left = 100 * left + '%';
    bar.style.width = 100 * width + '%';
    bar.style.top = depth * rowHeight + 'px';
    bar.dataset.index = index;
    bar.title = about(index);
    bar.textContent = width > 0.015 ? name : '';
    drawn.push(bar);
    deepest = Math.max(deepest, depth);
  });
  graph.style.height = (deepest + 1) * rowHeight + 'px';
  graph.replaceChildren(...drawn);
  status.textContent = about(focus);
}

function barOf(event) {
  const index = event.target.dataset.index;
  return index === undefined ? undefined : Number(index);
}

graph.addEventListener('click', (event) => {
  focus = barOf(event) ?? focus;
  draw();
});
graph.addEventListener('mouseover', (event) => {
  status.textContent = about(barOf(event) ?? focus);
});
search.addEventListener('input', draw);
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  focus = 0;
  search.value = '';
  draw();
});
draw();
`;

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
