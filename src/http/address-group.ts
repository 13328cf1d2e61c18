import { isIPv6 } from 'node:net'

const words = (part: string): string[] => (part === '' ? [] : part.split(':'))

/**
 * What limits per address count as one: an IPv4 address, or the /64 of an IPv6 address, because a single line has all
 * addresses of its /64 (RFC 6177).
 */
export const addressGroup = (address: string): string => {
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return plain
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = plain.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0').split('::')
  const [first, last] = [words(head), words(tail ?? '')]
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - first.length - last.length }, () => '0')
  const network = [...first, ...zeros, ...last].slice(0, 4).map((word) => Number.parseInt(word, 16).toString(16))
  return `${network.join(':')}::/64`
}
