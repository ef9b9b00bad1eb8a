// Draws an SVG of what many.mjs measured: time and memory by the number of apps.
//   node bench/many-picture.mjs <file of many.mjs --append> <picture>
import { writeFileSync } from 'node:fs';
import { appendedTo, median } from './measure.mjs';

const [from, to] = process.argv.slice(2);
const results = appendedTo(from);
const counts = [...new Set(results.map(({ apps }) => apps))].sort((a, b) => a - b);
const node = results[0].node.split('.')[0];

const of = (value) => counts.map((apps) => [apps, median(results.filter((result) => result.apps === apps).map(value))]);
const seconds = (name) => of((result) => result[name] / 1_000);
const megabytes = (name) => of(({ memory }) => memory[name] / 1_000);

const width = 420;
const height = 310;
const plot = { left: 52, right: 96, top: 34, bottom: 34 };

/** Each maps a value to its place on an axis: 0 to 1. */
const logarithmic = (least, most) => (value) => Math.log(value / least) / Math.log(most / least);
const linear = (least, most) => (value) => (value - least) / (most - least);

const panels = [
  {
    title: 'seconds, until the command is back',
    x: { place: logarithmic(1, 1_000), ticks: [1, 10, 100, 1_000] },
    y: { place: logarithmic(0.002, 30), ticks: [0.01, 0.1, 1, 10] },
    lines: [
      { label: 'start', points: seconds('start'), colour: '#2563eb' },
      { label: 'restart all', points: seconds('restart'), colour: '#be185d' },
      { label: 'stop', points: seconds('stop'), colour: '#dc2626' },
      { label: 'update', points: seconds('update'), colour: '#b45309' },
      { label: 'adoption', points: seconds('adoption'), colour: '#7c3aed' },
      { label: 'list', points: seconds('list'), colour: '#059669' },
      { label: 'bare spawns', points: seconds('floor'), colour: '#6b7280', isFloor: true },
      { label: 'node -e 0', points: seconds('node0'), colour: '#6b7280', isFloor: true },
    ],
  },
  {
    title: 'memory of the daemon, MB (PSS)',
    x: { place: linear(0, 1_000), ticks: [0, 250, 500, 750, 1_000] },
    y: { place: linear(0, 60), ticks: [0, 20, 40, 60] },
    lines: [
      { label: 'daemon', points: megabytes('daemon'), colour: '#2563eb' },
      { label: 'bare node', points: megabytes('bare'), colour: '#6b7280', isFloor: true },
    ],
  },
];

function drawPanel({ title, x, y, lines }, at) {
  const across = (value) => plot.left + x.place(value) * (width - plot.left - plot.right);
  const down = (value) => height - plot.bottom - y.place(value) * (height - plot.top - plot.bottom);
  const place = ([apps, value]) => `${across(apps).toFixed(1)},${down(value).toFixed(1)}`;
  const [first, last] = [x.ticks[0], x.ticks.at(-1)];
  const grid = y.ticks.map(
    (tick) =>
      `<path class="grid" d="M${across(first)},${down(tick).toFixed(1)}H${across(last)}"/>` +
      `<text x="${plot.left - 8}" y="${(down(tick) + 4).toFixed(1)}" text-anchor="end">${tick}</text>`,
  );
  const marks = x.ticks.map(
    (tick) =>
      `<text x="${across(tick).toFixed(1)}" y="${height - plot.bottom + 18}" text-anchor="middle">${tick}</text>`,
  );
  const ends = spreadOut(lines.map(({ points }) => down(points.at(-1)[1])));
  const drawn = lines.map(({ label, points, colour, isFloor }, index) => {
    const style = `fill="none" stroke="${colour}" stroke-width="2"${isFloor ? ' stroke-dasharray="4 4"' : ''}`;
    const dots = isFloor ? [] : points.map((point) => dot(place(point), colour));
    const name = `<text x="${across(last) + 8}" y="${(ends[index] + 4).toFixed(1)}" fill="${colour}">${label}</text>`;
    return `<polyline points="${points.map(place).join(' ')}" ${style}/>${dots.join('')}${name}`;
  });
  const heading = `<text class="title" x="${plot.left}" y="18">${title}</text>`;
  return `<g transform="translate(${at},0)">${[heading, ...grid, ...marks, ...drawn].join('\n')}</g>`;
}

function dot(place, colour) {
  const [x, y] = place.split(',');
  return `<circle cx="${x}" cy="${y}" r="2.5" fill="${colour}"/>`;
}

/** Moves labels apart that would overlap. */
function spreadOut(places) {
  const room = 14;
  const sorted = places.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place);
  for (const [at, label] of sorted.entries()) {
    if (at > 0) label.place = Math.max(label.place, sorted[at - 1].place + room);
  }
  return places.map((_, index) => sorted.find((label) => label.index === index).place);
}

const style = `text{font:12px system-ui,sans-serif}text:not([fill]){fill:#374151}.title{font-weight:600}.grid{stroke:#e5e7eb}`;
const drawing = panels.map((panel, index) => drawPanel(panel, index * width));
writeFileSync(
  to,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width * panels.length} ${height + 20}" role="img" aria-label="Time of commands and memory of the daemon for ${counts[0]} to ${counts.at(-1)} apps">
<style>${style}</style>
<rect width="100%" height="100%" rx="8" fill="#ffffff"/>
${drawing.join('\n')}
<text x="${plot.left}" y="${height + 8}">apps of one daemon, Node ${node}, median of ${results.length / counts.length} rounds</text>
</svg>
`,
);
