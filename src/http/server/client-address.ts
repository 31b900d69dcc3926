import { isIPv4, isIPv6 } from 'node:net';
import type { NetworkList } from '../../lib/network-list.ts';

const hopsMax = 16;
const forwardedLengthMax = 2048;

/**
 * The client as the limits count it: the socket's address or, when that is a trusted proxy, the
 * rightmost address in `X-Forwarded-For` that is not a trusted proxy. Everything left of it is the
 * client's own claim. An entry that is not an address ends the search at the last trusted hop.
 */
export function clientOf(
  socketAddress: string,
  forwardedFor: string | undefined,
  trustedProxies: NetworkList,
): string {
  let client = plainAddress(socketAddress) ?? socketAddress;
  if (trustedProxies.isEmpty || forwardedFor === undefined) return networkOf(client);
  const hops = forwardedFor.slice(-forwardedLengthMax).split(',').slice(-hopsMax);
  for (const hop of hops.reverse()) {
    if (!trustedProxies.has(client)) break;
    const address = plainAddress(hop.trim());
    if (address === null) break;
    // A copy: as a part of the field, a client that is remembered would keep all of it in memory.
    client = Buffer.from(address).toString();
  }
  return networkOf(client);
}

/** Strips a port, brackets and the IPv4-mapped form; null if the text is not an address. */
function plainAddress(text: string): string | null {
  const [, bare = text] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? /^([\d.]+):\d+$/.exec(text) ?? [];
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return null;
  const groups = groupsOf(bare);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? dotted(groups[6] ?? 0, groups[7] ?? 0) : bare;
}

/** An IPv4 address itself; for IPv6 its /64, as a single host can use all of it. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const network = groupsOf(address).slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** The eight numbers of an IPv6 address in any of its spellings. */
function groupsOf(address: string): number[] {
  const [bare = ''] = address.split('%');
  // The normal form of an address in a URL has no dots.
  const [head = '', tail = ''] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const gap = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...gap, ...right].map((group) => Number.parseInt(group, 16));
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}
