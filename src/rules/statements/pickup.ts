import type { GivenMapping } from 'bank-files/pure'
import type { StatementState } from './statement-import.ts'

/** Where the files of a source are picked up, and whether a person looks at each (docs/domain.md §6.12). */
export type Pickup = {
  /** `folder:<folder>`, `imaps://<user>@<host>/<mailbox>` or `sftp://<user>@<host>/<folder>`, with a port if it is unusual. */
  readonly address: string
  /** Of a mailbox: whose mails are read, each a whole address or a domain with its `@`. */
  readonly senders: readonly string[]
  /** Of a mailbox: the name under which its server says whether a sender is real (RFC 8601). */
  readonly checkedBy: string | null
  /** Of an SFTP server: the fingerprint of its key, such as `SHA256:…`. */
  readonly hostKey: string | null
  /** Whether files about which there is no doubt are imported without a person. */
  readonly importsAlone: boolean
}

/** What the address of a pickup names. */
export type Depot =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 'imaps' | 'sftp'
      readonly host: string
      readonly port: number
      readonly user: string
      /** Of the mailbox or the folder. */
      readonly path: string
    }

/** The largest file that is picked up, in bytes. */
export const mostBytes = 64 * 1024 * 1024

/** Why a depot cannot be opened or read; the message is for operators, and contains no secret. */
export class DepotFault extends Error {}

/** Why a single file in a depot is never taken; the message is for operators. */
export class BadFile extends Error {}

const usualPorts = { imaps: 993, sftp: 22 } as const

/** The depot, a place where a bank leaves files, that an address names; `undefined` if it names none. */
export const readDepot = (address: string): Depot | undefined => {
  const folder = /^folder:(?!\/)(.{1,200})$/.exec(address)?.[1]
  if (folder !== undefined)
    return folder.split('/').some((part) => part === '' || part.startsWith('.'))
      ? undefined
      : { kind: 'folder', path: folder }
  const url = /^(imaps|sftp):\/\//.test(address) ? URL.parse(address) : null
  if (url === null || url.username === '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return undefined
  const kind = url.protocol === 'imaps:' ? 'imaps' : 'sftp'
  try {
    const [user, path] = [url.username, url.pathname].map(decodeURIComponent)
    if (url.hostname === '' || user === undefined || path === undefined || path.length < 2) return undefined
    const port = url.port === '' ? usualPorts[kind] : Number(url.port)
    return {
      kind,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port,
      user,
      path: kind === 'imaps' ? path.slice(1) : path,
    }
  } catch {
    // The address has an invalid escape.
    return undefined
  }
}

/** What is wrong with a pickup: the field, and what its value must be. */
export const pickupFaults = ({ address, senders, checkedBy, hostKey }: Pickup): [keyof Pickup, string][] => {
  const depot = readDepot(address)
  if (!depot)
    return [
      [
        'address',
        'must be folder:<folder>, imaps://<user>@<host>/<mailbox> or sftp://<user>@<host>/<folder>, without a password.',
      ],
    ]
  const isMailbox = depot.kind === 'imaps'
  const faults: [keyof Pickup, string][] = []
  if (isMailbox === (senders.length === 0))
    faults.push(['senders', isMailbox ? 'is required: whose mails are read?' : 'are for mailboxes only.'])
  if (isMailbox === (checkedBy === null))
    faults.push([
      'checkedBy',
      isMailbox
        ? 'is required: anybody can send a mail in the name of your bank, and only your mail server knows who did. It is the first word of the header Authentication-Results in a mail of the bank.'
        : 'is for mailboxes only.',
    ])
  if ((depot.kind === 'sftp') === (hostKey === null))
    faults.push([
      'hostKey',
      depot.kind === 'sftp'
        ? 'is required: the fingerprint (SHA256:…) that the bank states for its server.'
        : 'is for SFTP servers only.',
    ])
  return faults
}

/** Files that are no statements, by the ends of their names: signatures and pictures in mails, and files on their way. */
const otherNames =
  /(^\.|~$|\.(pdf|png|jpe?g|gif|svg|html?|docx?|rtf|p7s|p7m|sig|asc|ics|vcf|eml|part|filepart|tmp|crdownload)$)/i

/** Whether a file of this name may be a statement. */
export const isStatementName = (name: string): boolean => !otherNames.test(name)

/** A text that a stranger may have written, such as the name of a file, as a line that can be stored and shown. */
export const asLine = (text: string): string => text.replace(/\p{Cc}/gu, '').toWellFormed()

/** What of a table's mapping nobody has stated, in words; `undefined` if there is nothing. */
const guessedOf = (given: GivenMapping | null): string | undefined => {
  const guessed = [
    ...(given?.columns === undefined ? ['columns'] : []),
    ...(given?.dateOrder === undefined ? ['order of dates'] : []),
    ...(given?.decimalMark === undefined ? ['decimal mark'] : []),
  ]
  return guessed.length === 0 ? undefined : new Intl.ListFormat('en').format(guessed)
}

/** Why a person must look at a file that was picked up, or `undefined` if there is no doubt. */
export const doubtOf = (
  statement: {
    readonly state: StatementState
    readonly counts: { readonly possibleDuplicates: number; readonly replaced: number; readonly replacing: number }
    /** How a table was read; null of other formats. */
    readonly mapping: unknown
    /** The numbers of each account that the file names; none if it does not. */
    readonly accounts: readonly { readonly requisiteId: string; readonly numberIndexes: readonly string[] }[]
  },
  source: {
    readonly requisiteIds: readonly string[]
    readonly mapping: GivenMapping | null
    readonly changedBy: string | null
    readonly pickup: Pick<Pickup, 'address' | 'importsAlone'>
  },
  /** Whether nobody has looked at a file of one of its accounts yet, and whether its content was given up before. */
  { isNew, isGivenUp }: { readonly isNew: boolean; readonly isGivenUp: boolean },
): string | undefined => {
  const { state, counts, mapping, accounts } = statement
  if (state === 'refused') return 'it was refused'
  if (!source.pickup.importsAlone) return 'a person looks at each file of this source'
  if (source.changedBy !== null) return 'the source waits for an approval'
  if (isNew) return 'nobody has looked at a file of its account since that was bound or added'
  if (isGivenUp) return 'the same file was discarded or withdrawn before'
  if (counts.possibleDuplicates > 0) return 'some of its rows may have been reported before'
  if (counts.replaced > 0 || counts.replacing > 0) return 'it replaces what was reported before'
  if (accounts.some(({ requisiteId }) => !source.requisiteIds.includes(requisiteId)))
    return 'it has an account that is not one of the source'
  // The bank mails to whomever a customer names, so also the statement of another customer's account.
  if (
    readDepot(source.pickup.address)?.kind === 'imaps' &&
    accounts.some(({ numberIndexes }) => numberIndexes.length === 0)
  )
    return 'it came by mail, and does not name its account'
  const guessed = mapping === null ? undefined : guessedOf(source.mapping)
  if (guessed !== undefined) return `its ${guessed} were guessed; keep the mapping at the source if it is right`
  return undefined
}
