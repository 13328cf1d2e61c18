import { spawn } from 'node:child_process'
import { accessSync, constants, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { text } from 'node:stream/consumers'
import type { Tools } from './tools.ts'

type Program = 'pg_dump' | 'pg_restore'

const isThere = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The newest version that Debian has installed, or the one in PATH: it must be as new as the server. */
const findProgram = (program: Program, { environment }: Tools): string => {
  const version = (path: string): number => Number(/\d+/.exec(path)?.[0] ?? 0)
  const debian = globSync(`/usr/lib/postgresql/*/bin/${program}`).toSorted((a, b) => version(b) - version(a))
  const onPath = (environment['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program))
  const found = [...debian, ...onPath].find(isThere)
  if (found !== undefined) return found
  throw new Error(
    `${program} is not installed here: install PostgreSQL's client programs, as new as the server (Debian: postgresql-client).`,
  )
}

/** The address without its password, which everybody on the machine could read, and the password. */
const withoutPassword = (url: string): { address: string; password: string | undefined } => {
  const [, start = '', password, rest = ''] = /^([a-z]+:\/\/[^:@/]*):([^@/]*)(@.*)$/s.exec(url) ?? []
  if (password === undefined) return { address: url, password: undefined }
  return { address: start + rest, password: decodeURIComponent(password) }
}

const start = (tools: Tools, program: Program, words: readonly string[], server: string, input: 'ignore' | 'pipe') => {
  const { address, password } = withoutPassword(tools.urlOf(server))
  const child = spawn(findProgram(program, tools), [...words, `--dbname=${address}`], {
    stdio: [input, 'pipe', 'pipe'],
    env: { ...tools.environment, PGAPPNAME: 'payin', ...(password !== undefined && { PGPASSWORD: password }) },
  })
  const errors = text(child.stderr as Readable)
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  }).then(async (code) => {
    if (code !== 0) throw new Error(`${program} failed: ${(await errors).trim() || `it ended with ${code}`}`)
  })
  return { child, ended }
}

const plain = ['--no-owner', '--no-privileges']

/** Writes a schema into a file, in PostgreSQL's custom format. */
export const dumpSchema = async (tools: Tools, server: string, schema: string, file: string): Promise<void> => {
  const { child, ended } = start(
    tools,
    'pg_dump',
    ['--format=custom', ...plain, `--schema=${schema}`, `--file=${file}`],
    server,
    'ignore',
  )
  child.stdout?.resume()
  await ended
}

/** Restores a schema from such a file: completely or, if that fails, not at all. */
export const restoreSchema = async (tools: Tools, server: string, file: string): Promise<void> => {
  const { child, ended } = start(
    tools,
    'pg_restore',
    [...plain, '--exit-on-error', '--single-transaction', file],
    server,
    'ignore',
  )
  child.stdout?.resume()
  await ended
}

/** Copies a schema from one server to another. */
export const copySchema = async (tools: Tools, from: string, schema: string, to: string): Promise<void> => {
  const dump = start(tools, 'pg_dump', ['--format=custom', ...plain, `--schema=${schema}`], from, 'ignore')
  const restore = start(tools, 'pg_restore', [...plain, '--exit-on-error', '--single-transaction'], to, 'pipe')
  restore.child.stdout?.resume()
  if (!dump.child.stdout || !restore.child.stdin) throw new Error('pg_dump has no output')
  const piped = pipeline(dump.child.stdout, restore.child.stdin)
  const ended = await Promise.allSettled([dump.ended, restore.ended, piped])
  const first = ended.find((each) => each.status === 'rejected')
  if (first) throw first.reason
}

/** The schemas in such a file. */
export const listSchemas = async (tools: Tools, file: string): Promise<string[]> => {
  const child = spawn(findProgram('pg_restore', tools), ['--list', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [listed, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  const schemas = [...listed.matchAll(/^\d+; \d+ \d+ SCHEMA - (\S+)/gm)].map(([, name]) => name ?? '')
  if (schemas.length === 0) throw new Error(`${file} is not a backup of a tenant. ${errors.trim()}`.trim())
  return schemas
}
