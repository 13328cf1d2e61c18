import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { Failure } from './failure.ts'
import type { Surroundings } from './surroundings.ts'

type Variables = Surroundings['environment']

/** What a service reads at its start: the environment, and the file of PAYIN_CONFIG, else `.env` in this folder. */
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

/** The variables that a service would start with; the environment has precedence over the file. */
export const serviceVariables = (surroundings: Pick<Surroundings, 'environment' | 'folder'>): Variables => {
  const { environment, dotEnv } = readSources(surroundings)
  return { ...dotEnv, ...environment }
}
