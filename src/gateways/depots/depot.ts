import { mostBytes, type Pickup, DepotFault } from '../../rules/statements/pickup.ts'
import type { Instant } from '../../rules/time.ts'
import type { LookupFunction } from 'node:net'

/** Something with a name and bytes: a file, or what is attached to a mail. */
export type Content = { readonly name: string; readonly bytes: Uint8Array }

/** A file in a depot, or a mail, as its listing says. */
export type DepotFile = {
  /** The same each time that the file is listed, and another one if it has changed. */
  readonly key: string
  readonly name: string
  /** Where it came from, for people. */
  readonly origin: string
  readonly bytes: number
  /** Why it must not be taken. */
  readonly problem?: string
  /** Whether it may still be written: then it is taken once a later listing has the same key. */
  readonly mayGrow: boolean
  /** The file itself, or what is attached to the mail and may be a statement; `BadFile` if it can never be read. */
  read(): Promise<readonly Content[]>
}

/** What a depot has; `problem` is what people must know about it, although it can be read. */
export type Listing = { readonly files: readonly DepotFile[]; readonly problem?: string }

/** A depot that is open for reading; nothing in it is ever changed. */
export type OpenDepot = AsyncDisposable & { list(): Promise<Listing> }

/** What depots are opened with. */
export type DepotOptions = {
  readonly pickup: Pickup
  /** The password, or the private key (PEM) of an SFTP user. */
  readonly secret: string
  /** The folder of the machine that has the folders of sources; undefined: there are none. */
  readonly root: string | undefined
  readonly lookup: LookupFunction
  /** Ends all that is under way. */
  readonly signal: AbortSignal
  readonly now: Instant
}

/** Most entries of a folder. */
export const mostEntries = 5000

/** Time limit for each step of a conversation with a server, in milliseconds. */
export const stepMs = 15_000

/** All of a stream; throws a `DepotFault` beyond `mostBytes`. */
export const readWhole = async (stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of stream) {
    length += piece.length
    if (length > mostBytes) throw new DepotFault('a file is larger than its depot has said')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
