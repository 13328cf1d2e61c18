import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { Failure } from './failure.ts'
import type { Surroundings } from './surroundings.ts'

/**
 * The variables that a service would start with: the file of PAYIN_CONFIG, else `.env` in this folder, over which the
 * environment has precedence.
 */
export const serviceVariables = ({
  environment,
  folder,
}: Pick<Surroundings, 'environment' | 'folder'>): Surroundings['environment'] => {
  const named = environment['PAYIN_CONFIG']?.trim()
  const path = resolve(folder, named || '.env')
  try {
    return { ...parseEnv(readFileSync(path, 'utf8')), ...environment }
  } catch (error) {
    const code = (error as { code?: string }).code ?? 'unreadable'
    if (!named && code === 'ENOENT') return environment
    throw new Failure([`${path} cannot be read (${code}).`], 2)
  }
}
