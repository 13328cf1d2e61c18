import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type Instant, second } from '../rules/time.ts'

// Not `dns.lookup`: it blocks one of the four threads that the process has for files and names, so that a few names
// with silent servers would hold up every other connection.

export type HostAddress = { readonly address: string; readonly family: number }

/** Finds the addresses of a host name. */
export type ResolveHost = (
  hostname: string,
  callback: (error: Error | null, addresses: readonly HostAddress[]) => void,
) => void

export type HostResolver = {
  readonly resolve: ResolveHost
  close(): void
}

/** The error code of a name that has no address, or whose servers do not answer in time. */
export const nameUnknownCode = 'NAME_UNKNOWN'

/** Time limits of look-ups in milliseconds of real time. */
export type LookupTimes = {
  /** How long one name server may take to answer. */
  readonly askMs: number
  /** A look-up is given up after this, even with several name servers. */
  readonly lookupMs: number
}

/** Default time limits of look-ups. */
export const usualLookupTimes: LookupTimes = { askMs: 2 * second, lookupMs: 5 * second }

/** How often each name server is queried. */
const asks = 2
/** Once addresses of one family are known, how long to wait for the other: some servers never answer for IPv6. */
const otherKindMs = 300

const hostsFile = '/etc/hosts'
const hostsFileKeptMs = 10 * second

const readHosts = (): ReadonlyMap<string, readonly string[]> => {
  const hosts = new Map<string, string[]>()
  let text = ''
  try {
    text = readFileSync(hostsFile, 'utf8')
  } catch {
    // Without the file there are no local names.
  }
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names) hosts.set(name, [...(hosts.get(name) ?? []), address])
  }
  return hosts
}

/** Looks up names as written, at `servers` or the system's; does not cache answers. */
export const openResolver = (
  clock: () => Instant,
  servers: readonly string[] = [],
  { askMs, lookupMs } = usualLookupTimes,
): HostResolver => {
  const underWay = new Set<Resolver>()
  let hosts: ReadonlyMap<string, readonly string[]> = new Map()
  let hostsReadAt = -Infinity

  /** Names that are never sent to a server: those of this machine (RFC 6761 §6.3) and of its hosts file. */
  const findLocal = (name: string): readonly string[] | undefined => {
    if (/^(.+\.)?localhost$/.test(name)) return ['127.0.0.1', '::1']
    if (Math.abs(clock() - hostsReadAt) > hostsFileKeptMs) {
      hosts = readHosts()
      hostsReadAt = clock()
    }
    return hosts.get(name)
  }

  const ask = async (name: string): Promise<readonly string[]> => {
    // A separate one for each look-up: it reads the current servers, has its own port, and can be cancelled.
    const resolver = new Resolver({ timeout: askMs, tries: asks })
    const cancelAfter = (ms: number) => setTimeout(() => resolver.cancel(), ms)
    const timers = [cancelAfter(lookupMs)]
    const note = (found: readonly string[]): readonly string[] => {
      if (found.length > 0) timers.push(cancelAfter(otherKindMs))
      return found
    }
    const none = (): readonly string[] => []
    underWay.add(resolver)
    try {
      if (servers.length > 0) resolver.setServers(servers)
      const both = [resolver.resolve4(name).then(note, none), resolver.resolve6(name).then(note, none)]
      return (await Promise.all(both)).flat()
    } catch {
      return []
    } finally {
      for (const timer of timers) clearTimeout(timer)
      underWay.delete(resolver)
    }
  }

  return {
    resolve: (hostname, callback) => {
      const name = hostname.toLowerCase().replace(/\.$/, '')
      void Promise.resolve(findLocal(name) ?? ask(name)).then((found) => {
        const unknown = Object.assign(new Error('the name has no known address'), { code: nameUnknownCode })
        const addresses = found.map((address) => ({ address, family: isIP(address) }))
        process.nextTick(callback, addresses.length > 0 ? null : unknown, addresses)
      })
    },
    close: () => {
      for (const resolver of underWay) resolver.cancel()
    },
  }
}
