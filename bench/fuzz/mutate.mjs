// Valid inputs made invalid: values of JSON, text, and bytes.

/** What parsers trip over. */
const oddTexts = [
  '',
  ' ',
  '\0',
  '\n',
  'a\0b',
  '..',
  '../../x',
  '/',
  '%',
  '%2F',
  '\ud800',
  '\u202e',
  '💥',
  '\u001b[2J',
  'constructor',
  '__proto__',
  'all',
  '-1',
  '1e999',
  '0x10',
  "'; #",
  '$(true)',
  'x'.repeat(5_000),
];
const oddNumbers = [0, -0, -1, 1, 0.5, 1e21, -1e21, 2 ** 31, 2 ** 32, 2 ** 53, Number.MAX_VALUE, 5e-324];

export function oddText(random) {
  return random.oneIn(3)
    ? random.text(random.between(1, 40), 'aZ0 _-./:@%"\'\\{}[]é\u0000\u{1f4a5}')
    : random.pick(oddTexts);
}

/** Any value of JSON, seldom deep. */
export function oddValue(random, depth = 0) {
  switch (random.below(depth > 3 ? 5 : 8)) {
    case 0:
      return null;
    case 1:
      return random.oneIn(2);
    case 2:
      return random.pick(oddNumbers);
    case 3:
    case 4:
      return oddText(random);
    case 5:
      return Array.from({ length: random.below(4) }, () => oddValue(random, depth + 1));
    case 6:
      return deep(random.between(10, 500));
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [oddText(random), oddValue(random, depth + 1)]),
      );
  }
}

/** Lists in lists. */
function deep(levels) {
  let value = [];
  for (let level = 1; level < levels; level += 1) value = [value];
  return value;
}

/** A copy with a few values replaced, removed, added, doubled or swapped. `mayTouch` limits it to some paths. */
export function mutated(value, random, mayTouch = () => true) {
  const copy = structuredClone(value);
  for (let count = random.between(1, 3); count > 0; count -= 1) mutateOne(copy, random, mayTouch);
  return copy;
}

function mutateOne(value, random, mayTouch) {
  const places = placesIn(value).filter(({ path }) => mayTouch(path));
  if (places.length === 0) return;
  const { holder, key } = random.pick(places);
  switch (random.below(6)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(key, 1);
      else delete holder[key];
      break;
    case 1:
      set(holder, Array.isArray(holder) ? holder.length : oddText(random), oddValue(random));
      break;
    case 2:
      set(holder, key, structuredClone(random.pick(places.map((place) => place.holder[place.key]))));
      break;
    default:
      set(holder, key, oddValue(random));
  }
}

/** Not by assignment: the key may be `__proto__`. */
function set(holder, key, value) {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function placesIn(value, path = []) {
  if (typeof value !== 'object' || value === null || path.length > 8) return [];
  return Object.keys(value).flatMap((word) => {
    const key = Array.isArray(value) ? Number(word) : word;
    const inner = [...path, key];
    return [{ holder: value, key, path: inner }, ...placesIn(value[key], inner)];
  });
}

/** A copy with some bytes changed, cut out, repeated or inserted. */
export function mutatedBytes(bytes, random) {
  let result = Buffer.from(bytes);
  for (let count = random.between(1, 4); count > 0; count -= 1) {
    const at = random.below(result.length + 1);
    const length = random.between(1, 16);
    const [head, tail] = [result.subarray(0, at), result.subarray(at)];
    const cut = tail.subarray(length);
    result = Buffer.concat(
      random.pick([
        () => [head, random.bytes(length), cut],
        () => [head, cut],
        () => [head, tail.subarray(0, length), tail],
        () => [
          head,
          random.pick([Buffer.from([0xff, 0xfe]), Buffer.from([0xc0]), Buffer.from('\0'), Buffer.from('\n')]),
          tail,
        ],
        () => [head],
      ])(),
    );
  }
  return result;
}

/** The bytes in pieces, as a slow or strange peer sends them. */
export function chunked(bytes, random) {
  if (random.oneIn(2)) return [bytes];
  const chunks = [];
  for (let at = 0; at < bytes.length; ) {
    const length = random.pick([1, 2, 3, 17, 1_000, 65_536, bytes.length]);
    // Not more than some hundred writes for one message.
    const step = chunks.length > 200 ? bytes.length : length;
    chunks.push(bytes.subarray(at, at + step));
    at += step;
  }
  return chunks;
}
