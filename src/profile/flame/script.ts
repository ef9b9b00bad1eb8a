// What runs in the page of a flame graph. It is text, because nothing of it runs in nsv. Names come from an untrusted process: they
// are only ever set as text.
export const script = `
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
