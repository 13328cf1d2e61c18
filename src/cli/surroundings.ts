import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { Failure } from './failure.ts'

export type Surroundings = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly folder: string
  /** The folder of Payin itself. */
  readonly installation: string
  readonly input: Readable
  readonly output: Writable
  readonly errors: Writable
  /** Characters per line of the terminal; undefined without one. */
  readonly columns: number | undefined
  readonly isBold: boolean
  readonly showsProgress: boolean
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly newId: () => string
  /** Aborts at Ctrl-C after the first call; for commands that run until they are ended. */
  readonly ended: () => AbortSignal
}

/** Characters per line: of the terminal, else `COLUMNS`, else no limit, for example in a file. */
export const lineWidth = ({ columns, environment }: Surroundings): number => {
  if (columns !== undefined && columns > 0) return columns
  const typed = environment['COLUMNS'] ?? ''
  return /^[1-9]\d{0,4}$/.test(typed) ? Number(typed) : Infinity
}

/** The bytes of a file, or of standard input for `-`. */
export const readBytes = ({ folder, input }: Surroundings, path: string): Promise<Buffer> =>
  (path === '-' ? buffer(input) : readFile(resolve(folder, path))).catch((error: NodeJS.ErrnoException) => {
    throw new Failure([`${path} cannot be read: ${describeFileError(error)}.`], 2)
  })

/** An error of the file system in words. */
export const describeFileError = ({ code, message }: NodeJS.ErrnoException): string => {
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EISDIR') return 'it is not a file'
  if (code === 'EEXIST') return 'the file already exists'
  return code === 'EACCES' ? 'access is denied' : message
}

/** The text of a file, or of standard input for `-`, without the byte order mark that editors on Windows write. */
export const readText = async (surroundings: Surroundings, path: string): Promise<string> =>
  (await readBytes(surroundings, path)).toString('utf8').replace(/^\uFEFF/, '')
