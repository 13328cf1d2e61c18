import type { Instant } from '../../rules/time.ts'
import { DepotFault, readDepot } from '../../rules/statements/pickup.ts'
import { guardLookup, type Reach } from '../address-guard.ts'
import { isRefused } from '../guarded-agent.ts'
import { openResolver } from '../open-resolver.ts'
import { openFolder } from './folder-depot.ts'
import { openMailbox } from './mailbox-depot.ts'
import { type OpenDepot, type DepotOptions } from './depot.ts'
import { openSftp } from './sftp-depot.ts'

/** Opens the depots where files are picked up. */
export type Depots = {
  /** Throws a `DepotFault`, also later, when the depot is read. */
  open(options: Pick<DepotOptions, 'pickup' | 'secret' | 'signal' | 'now'>): Promise<OpenDepot>
  close(): void
}

/** Depots in the folder `root` and on servers within `reach`. */
export const createDepots = (options: {
  readonly clock: () => Instant
  readonly root: string | undefined
  readonly reach: Reach
}): Depots => {
  const { clock, root, reach } = options
  const resolver = openResolver(clock)
  const lookup = guardLookup(reach, resolver.resolve)
  return {
    open: async (asked) => {
      const depot = readDepot(asked.pickup.address)
      if (!depot) throw new DepotFault('the address of the pickup is not known')
      const all: DepotOptions = { ...asked, root, lookup }
      if (depot.kind === 'folder') return openFolder(depot.path, all)
      // An IP address is not looked up.
      if (isRefused(depot.host, reach)) throw new DepotFault('the address is not one of the public internet')
      return depot.kind === 'imaps' ? openMailbox(depot, all) : openSftp(depot, all)
    },
    close: () => resolver.close(),
  }
}
