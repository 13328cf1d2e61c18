import { realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { effectiveSettings } from '../config.ts'
import { readSources, serviceVariables } from './service-settings.ts'
import type { Surroundings } from './surroundings.ts'

/** Whether a user or group other than root has a permission, given for others: 4 to read a file, 1 to pass a folder. */
const othersHave = (path: string, bit: 1 | 4): boolean => {
  const { mode, uid, gid } = statSync(path)
  return Boolean(mode & bit) || (uid !== 0 && Boolean(mode & (bit << 6))) || (gid !== 0 && Boolean(mode & (bit << 3)))
}

const foldersAbove = (path: string): string[] => {
  const folder = dirname(path)
  return folder === path ? [] : [folder, ...foldersAbove(folder)]
}

/**
 * Where a command runs as root: what keeps every other user from the files of secrets, such as the service, which has a user
 * of its own. Access control lists are not looked at.
 */
export const adviseOnRootOnlyFiles = (surroundings: Surroundings): string[] => {
  if (process.getuid?.() !== 0) return []
  const variables = serviceVariables(surroundings)
  const names = effectiveSettings(readSources(surroundings)).flatMap(({ name, source }) =>
    source === 'file' ? [`${name}_FILE`] : [],
  )
  return names.flatMap((name) => {
    try {
      const path = realpathSync(resolve(surroundings.folder, variables[name]?.trim() ?? ''))
      const closed = foldersAbove(path).find((folder) => !othersHave(folder, 1))
      if (closed !== undefined) return [`${name}: only root can open ${closed}: let the user of the service pass`]
      return othersHave(path, 4) ? [] : [`${name}: only root can read that file: give it to the user of the service`]
    } catch {
      return []
    }
  })
}
