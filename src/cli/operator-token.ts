import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from './failure.ts'

const cure = 'Give --token, set PAYIN_OPERATOR_TOKEN, or run payin where the data directory of the service is.'

/** The operator token that the service made for itself in its data directory. */
export const readOperatorToken = (dataDir: string): string => {
  const path = join(dataDir, 'secrets.json')
  try {
    const content = JSON.parse(readFileSync(path, 'utf8')) as { operatorToken?: unknown } | null
    if (typeof content?.operatorToken === 'string') return content.operatorToken
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'damaged'
    throw new Failure([`No operator token: ${path} cannot be read (${code}). ${cure}`], 2)
  }
  throw new Failure([`No operator token: ${path} has none. ${cure}`], 2)
}
