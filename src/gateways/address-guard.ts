import { BlockList, isIP, type LookupFunction } from 'node:net'
import type { ResolveHost } from './open-resolver.ts'

// IANA's registries of special-purpose addresses: everything that is not plainly the public internet. IPv6 starts from
// the one range of public unicast, which excludes loopback, link- and site-local, unique-local, multicast, the
// IPv4-mapped and -compatible forms and both NAT64 prefixes.
const refused4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const
const public6 = ['2000::', 3] as const
const refused6 = [
  // Teredo, benchmarking, ORCHID and other protocol assignments.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4 carries any IPv4 address.
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const

const refused = new BlockList()
for (const [network, bits] of refused4) refused.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of refused6) refused.addSubnet(network, bits, 'ipv6')
const publicUnicast = new BlockList()
publicUnicast.addSubnet(...public6, 'ipv6')
const loopback4 = new BlockList()
loopback4.addSubnet('127.0.0.0', 8, 'ipv4')

/** Which addresses may be connected to: the public internet, or with `loopback` also this machine. */
export type Reach = 'public' | 'loopback'

/** Whether an IP address, in its canonical text, may be connected to. */
export const isReachable = (address: string, reach: Reach): boolean => {
  const family = isIP(address)
  if (family === 0 || address.includes('%')) return false
  const kind = family === 6 ? 'ipv6' : 'ipv4'
  // A list of IPv4 also matches the mapped form in IPv6, which nobody needs here.
  const isLoopback = family === 6 ? address === '::1' : loopback4.check(address, kind)
  if (reach === 'loopback' && isLoopback) return true
  return !refused.check(address, kind) && (family === 4 || publicUnicast.check(address, kind))
}

/** The error code of a connection that was refused because of its address. */
export const addressRefusedCode = 'ADDRESS_REFUSED'

/** The error with `addressRefusedCode`; it contains no address, which would help someone who probes the network. */
export const addressRefused = (): Error & { code: string } =>
  Object.assign(new Error('the address is not one of the public internet'), { code: addressRefusedCode })

/**
 * A `lookup` for connections that refuses a name if any of its addresses is not allowed. The connection uses the
 * checked addresses, so a name that changes its address in between (DNS rebinding) gains nothing.
 */
export const guardLookup =
  (reach: Reach, resolveHost: ResolveHost): LookupFunction =>
  (hostname, options, callback) => {
    resolveHost(hostname, (error, addresses) => {
      const [first] = addresses ?? []
      if (error) return callback(error, '', 0)
      if (!first || !addresses.every(({ address }) => isReachable(address, reach))) {
        return callback(addressRefused(), '', 0)
      }
      if (options.all) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    })
  }
