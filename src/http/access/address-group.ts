import { isIPv6 } from 'node:net'

/** The IPv4 address in an IPv4-mapped IPv6 address such as `::ffff:192.0.2.1`; `undefined` for any other address. */
export const mappedIpv4 = (address: string): string | undefined => /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]

const groupsOf = (part: string): string[] => (part === '' ? [] : part.split(':'))

/**
 * What counts as one address for limits per address: an IPv4 address, or the /64 of an IPv6 address, because one
 * connection has all addresses of its /64 (RFC 6177).
 */
export const addressGroup = (address: string): string => {
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return plain
  const mapped = mappedIpv4(plain)
  if (mapped !== undefined) return mapped
  const [head = '', tail] = plain.replace(/\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/, '0:0').split('::')
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')]
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - first.length - last.length }, () => '0')
  const network = [...first, ...zeros, ...last].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
