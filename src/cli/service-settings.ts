import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { Failure } from './failure.ts'
import type { Surroundings } from './surroundings.ts'

type Variables = Surroundings['environment']

/** What a start reads: the environment, and the file that PAYIN_CONFIG names, else `.env` in the current folder. */
export const readSources = ({
  environment,
  folder,
}: Pick<Surroundings, 'environment' | 'folder'>): { readonly environment: Variables; readonly dotEnv: Variables } => {
  const named = environment['PAYIN_CONFIG']?.trim()
  const path = resolve(folder, named || '.env')
  try {
    return { environment, dotEnv: parseEnv(readFileSync(path, 'utf8')) }
  } catch (error) {
    const code = (error as { code?: string }).code ?? 'unreadable'
    if (!named && code === 'ENOENT') return { environment, dotEnv: {} }
    throw new Failure([`${path} cannot be read (${code}).`], 2)
  }
}

/** The variables that a start would have; those of the environment count before those of the file. */
export const serviceVariables = (surroundings: Pick<Surroundings, 'environment' | 'folder'>): Variables => {
  const { environment, dotEnv } = readSources(surroundings)
  return { ...dotEnv, ...environment }
}
