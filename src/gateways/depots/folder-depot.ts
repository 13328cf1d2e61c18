import { constants } from 'node:fs'
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { DepotFault } from '../../rules/statements/pickup.ts'
import { type OpenDepot, type DepotOptions, readWhole } from './depot.ts'

const missing = (path: string) => (): never => {
  throw new DepotFault(`there is no folder ${path} that the service may read`)
}

/** A folder beneath the one of the setting: no name, and no symbolic link, leads out of that. */
export const openFolder = async (path: string, { root }: DepotOptions): Promise<OpenDepot> => {
  if (root === undefined) throw new DepotFault('the service has no folder for pickups (PAYIN_PICKUP_FOLDER)')
  const own = await realpath(root).catch(missing(root))
  const folder = await realpath(join(own, path)).catch(missing(path))
  if (!folder.startsWith(own + sep)) throw new DepotFault(`${path} is not in the folder for pickups`)
  return {
    list: async () => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(missing(path))
      const files = entries.filter((entry) => entry.isFile())
      return Promise.all(
        files.map(async ({ name }) => {
          const { size, mtimeMs } = await stat(join(folder, name))
          return { key: `${name}/${size}/${mtimeMs}`, name, origin: `${path}/${name}`, bytes: size, mayGrow: true }
        }),
      )
    },
    read: async ({ name }) => {
      await using file = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW)
      return await readWhole(file.createReadStream())
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
