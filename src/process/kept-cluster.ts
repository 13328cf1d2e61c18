import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrationsFolder } from '../settings/version.ts'

const root = join(import.meta.dirname, '..', '..')

/** Changes with every migration, and with the versions of Payin and its packages. */
export const schemaFingerprint = (): string => {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package.json')))
  for (const name of readdirSync(migrationsFolder).toSorted())
    hash.update(name).update(readFileSync(join(migrationsFolder, name)))
  return hash.digest('hex').slice(0, 16)
}

/** Where the installation keeps a migrated cluster for new embedded databases, with the packages. */
export const keptClusterPath = (): string => join(root, 'node_modules', '.cache', `cluster-${schemaFingerprint()}.tar`)

/** The kept cluster, if it has the current schema. */
export const findKeptCluster = (): string | undefined => {
  const path = keptClusterPath()
  return existsSync(path) ? path : undefined
}
