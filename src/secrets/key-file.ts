import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Misconfigured } from '../rules/refusal.ts'
import { generateAccessToken } from './access-token.ts'
import { type EncryptionKey, parseEncryptionKeys } from './parse-encryption-keys.ts'

/** The secrets that the service generates outside production if the environment has none. */
export type Secrets = { readonly encryptionKeys: readonly EncryptionKey[]; readonly operatorToken: string }

/** The id of the key that a first start generates. */
export const firstKeyId = 'k1'

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

const parse = (text: string): Secrets | undefined => {
  try {
    const { encryptionKeys, operatorToken } = JSON.parse(text) as Readonly<Record<string, unknown>>
    if (typeof encryptionKeys !== 'string' || typeof operatorToken !== 'string') return undefined
    const keys = parseEncryptionKeys(encryptionKeys)
    return 'problem' in keys || operatorToken.length < 32 ? undefined : { encryptionKeys: keys.value, operatorToken }
  } catch {
    return undefined
  }
}

const pathIn = (dataDir: string): string => join(dataDir, 'secrets.json')

/** Reads `<dataDir>/secrets.json`; `undefined` if there is none. Throws if the file is damaged. */
export const findSecrets = (dataDir: string): Secrets | undefined => {
  const path = pathIn(dataDir)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    // A mount of a file that is missing makes a directory.
    if (codeOf(error) === 'EISDIR') throw new Misconfigured(`${path} is a directory: put the file of this name there`)
    throw error
  }
  const secrets = parse(text)
  // Never replaced automatically: nothing else opens what the lost keys sealed.
  if (!secrets) throw new Misconfigured(`${path} is damaged: restore it, for nothing else opens what its keys sealed`)
  return secrets
}

/** Makes a new name in the directory survive a power cut; Windows cannot open directories and needs no such step. */
const syncDirectory = (directory: string): void => {
  if (process.platform === 'win32') return
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

const create = (dataDir: string): Secrets => {
  const path = pathIn(dataDir)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const content = {
    encryptionKeys: `${firstKeyId}:${randomBytes(32).toString('base64')}`,
    operatorToken: generateAccessToken('ops').token,
  }
  const draft = `${path}.${randomBytes(8).toString('hex')}`
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`)
    fsyncSync(file)
    // Unlike rename, link never replaces: the first process wins and the others read what it wrote.
    linkSync(draft, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    closeSync(file)
    rmSync(draft)
  }
  syncDirectory(dataDir)
  const secrets = findSecrets(dataDir)
  if (!secrets) throw new Error(`${path} disappeared while it was being made`)
  return secrets
}

/**
 * Reads `<dataDir>/secrets.json`, or creates it (mode 0600) on the first start; processes that start at the same time
 * agree on one. Throws if the file is damaged.
 */
export const loadOrCreateSecrets = (dataDir: string): Secrets => findSecrets(dataDir) ?? create(dataDir)
