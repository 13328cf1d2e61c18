import { constants } from 'node:fs'
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { DepotFault } from '../../rules/statements/pickup.ts'
import { type DepotFile, type DepotOptions, mostEntries, type OpenDepot, readWhole } from './depot.ts'

const missing = (path: string) => (): never => {
  throw new DepotFault(`there is no folder ${path} that the service may read`)
}

/** A folder beneath the one of the setting: no name or symbolic link leads out of it. */
export const openFolder = async (path: string, { root }: DepotOptions): Promise<OpenDepot> => {
  if (root === undefined) throw new DepotFault('the service has no folder for pickups (PAYIN_PICKUP_FOLDER)')
  const own = await realpath(root).catch(missing(root))
  const folder = await realpath(join(own, path)).catch(missing(path))
  if (!folder.startsWith(own + sep)) throw new DepotFault(`${path} is not in the folder for pickups`)
  return {
    list: async () => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(missing(path))
      const files = entries.filter((entry) => entry.isFile())
      if (files.length > mostEntries) throw new DepotFault(`${path} has more than ${mostEntries} files`)
      const listed: DepotFile[] = []
      for (const { name } of files) {
        // One that has gone meanwhile, or whose name is in no known character set, holds up no others.
        const found = await stat(join(folder, name)).catch(() => undefined)
        if (!found) continue
        const { size, mtimeMs } = found
        listed.push({
          ...{ key: `${name}/${size}/${mtimeMs}`, name, origin: `${path}/${name}`, bytes: size, mayGrow: true },
          read: async () => {
            await using file = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW)
            return [{ name, bytes: await readWhole(file.createReadStream()) }]
          },
        })
      }
      return { files: listed }
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
