import { BlockList, isIP } from 'node:net';

/** Networks in CIDR notation, or single addresses. */
export interface NetworkList {
  readonly isEmpty: boolean;
  /** False for anything but an IP address. An IPv4-mapped IPv6 address counts as IPv4. */
  has(address: string): boolean;
}

/** Throws a RangeError that names the first entry that is neither an address nor a network. */
export function parseNetworkList(entries: readonly string[]): NetworkList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits, ...rest] = entry.trim().split('/');
    const version = isIP(address);
    const widest = version === 6 ? 128 : 32;
    const prefix = bits === undefined ? widest : Number(bits);
    const isPrefix = bits === undefined || /^\d{1,3}$/.test(bits);
    if (version === 0 || !isPrefix || prefix > widest || rest.length > 0) {
      throw new RangeError(`Not an IP address or network: ${JSON.stringify(entry)}`);
    }
    list.addSubnet(address, prefix, version === 6 ? 'ipv6' : 'ipv4');
  }
  return {
    isEmpty: entries.length === 0,
    has(address) {
      const version = isIP(address);
      return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
    },
  };
}
