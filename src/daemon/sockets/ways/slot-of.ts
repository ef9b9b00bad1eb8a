// Which slot the connections of a client go to. Rendezvous hashing (https://en.wikipedia.org/wiki/Rendezvous_hashing): when a slot
// comes or goes, only the clients of that slot get another one. The next daemon finds the same.

/** `slots` is not empty. `address`: the IP address of the client. */
export function slotOf(address: string, slots: readonly number[]): number {
  const weights = slots.map((slot) => ({ slot, weight: hash(`${slot} ${address}`) }));
  return weights.reduce((best, other) => (isHeavier(other, best) ? other : best)).slot;
}

interface Weight {
  slot: number;
  weight: number;
}

function isHeavier(one: Weight, other: Weight): boolean {
  return one.weight > other.weight || (one.weight === other.weight && one.slot < other.slot);
}

/** FNV-1a, with the last steps of MurmurHash3, as addresses differ in their last digits only. 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
