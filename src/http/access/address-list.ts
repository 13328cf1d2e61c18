import { BlockList, isIPv6 } from 'node:net'
import { mappedIpv4 } from './address-group.ts'

/** Whether an address is on a list. */
export type MatchAddress = (address: string) => boolean

/** Mapped IPv4 addresses are in `::ffff:0:0/96`; a wider IPv6 network is not meant to include them. */
const mappedBits = 96

/** A matcher for a list of addresses and CIDR networks. An IPv6 network wider than /96 matches no IPv4 address. */
export const matchAddresses = (list: readonly string[]): MatchAddress => {
  const narrow = new BlockList()
  const wideIpv6 = new BlockList()
  for (const entry of list) {
    const [network = '', bits] = entry.split('/')
    const family = isIPv6(network) ? 'ipv6' : 'ipv4'
    if (bits === undefined) narrow.addAddress(network, family)
    // Node.js also compares an IPv4 address, in its mapped form, with IPv6 networks; so these have their own list.
    else if (family === 'ipv6' && Number(bits) < mappedBits) wideIpv6.addSubnet(network, Number(bits), family)
    else narrow.addSubnet(network, Number(bits), family)
  }
  return (address) => {
    const plain = mappedIpv4(address) ?? address
    return isIPv6(plain) ? narrow.check(plain, 'ipv6') || wideIpv6.check(plain, 'ipv6') : narrow.check(plain, 'ipv4')
  }
}
