import { FileFault, unpackArchive } from 'bank-files'
import type { Context, Tx } from '../../context.ts'
import { asLine, BadFile, doubtOf, isStatementName, mostBytes, DepotFault } from '../../../rules/statements/pickup.ts'
import { invalidState, Refusal } from '../../../rules/refusal.ts'
import { type Instant, minute, planBounds, second } from '../../../rules/time.ts'
import { hashText } from '../../../secrets/hashes.ts'
import { actAudited } from '../../audit/record-acts.ts'
import { listNamedAccounts } from '../account-numbers.ts'
import { confirmStatement, finishStatement } from '../confirm-or-discard.ts'
import type { StagedStatement } from '../stage-statement.ts'
import { stageStatement } from '../stage-statement.ts'
import { noteContact } from '../sources/sources.ts'
import { findGivenUp, findNewAccount } from '../sources/store.ts'
import { pickupSecret } from './pickup.ts'
import { endLook, holdLook, insertPicked, listKnownKeys, takeDue } from './store.ts'

/** How often a depot is looked at, and how soon again after it could not be read. */
const everyMs = minute
const afterFailureMs = 5 * minute
/** What a process has begun is left to others after this. */
const lookMs = 10 * minute
/** A look that takes longer is cut off; sooner while only one person has set where the files are. */
const usualTimes = { approvedMs: lookMs / 2, unapprovedMs: 30 * second }
/** Most files that one look takes; the next look goes on. */
const filesPerLook = 50

type OpenDepot = Awaited<ReturnType<Context['depots']['open']>>
type DepotFile = Awaited<ReturnType<OpenDepot['list']>>['files'][number]
type Content = Awaited<ReturnType<DepotFile['read']>>[number]

type Due = ReturnType<typeof takeDue.decode>
/** A source that is looked at, and until when nobody else does. */
type Source = Due & { readonly pickup: NonNullable<Due['pickup']>; readonly until: Instant }

/** A file, or one of those in an archive. */
type Part = { readonly name: string; readonly pieces: () => AsyncIterable<Uint8Array> }

/** A name that anybody may have given, of a length that can be shown. */
const nameOf = (given: string): string => asLine(given.slice(-200))

const unpack = ({ name: whole, bytes }: Content): readonly Part[] => {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield bytes
  }
  const packed = unpackArchive(bytes)?.filter(({ name }) => isStatementName(name.split('/').at(-1) ?? name))
  return (packed ?? [{ name: whole, pieces }]).map((part) => ({ ...part, name: nameOf(part.name) }))
}

/** How a source is named where people are. */
const reporterOf = ({ name }: Source): string => `source:${name}`

const stage = (context: Context, source: Source, { name, pieces }: Part): Promise<StagedStatement> => {
  const [only, ...others] = source.requisiteIds
  return stageStatement(context, {
    pieces: pieces(),
    fileName: name,
    sourceId: source.id,
    sourceChangedBy: source.changedBy,
    requisiteId: only !== undefined && others.length === 0 ? only : null,
    onlyUnnamed: true,
    given: source.mapping ?? {},
    by: reporterOf(source),
  })
}

/** What became of a file, or of one in an archive: its statement, and why it was not taken or waits for a person. */
type Kept = { readonly statementId: string | null; readonly problem: string | null }

/** Keeps one statement of a file, and imports it if nobody needs to look. */
const keep = async (tx: Tx, source: Source, staged: StagedStatement): Promise<Kept> => {
  const { statement, alreadyKnown } = await finishStatement(tx, staged)
  const { id: statementId } = statement
  if (alreadyKnown && statement.state !== 'ready') return { statementId, problem: null }
  const accounts = await listNamedAccounts(tx, statementId)
  const isNew = (await tx.query(findNewAccount, { rows: accounts })).length > 0
  const isGivenUp = (await tx.query(findGivenUp, { statementId })).length > 0
  const doubt = doubtOf({ ...statement, accounts }, source, { isNew, isGivenUp })
  if (doubt !== undefined) return { statementId, problem: `It waits for a person: ${doubt}.` }
  try {
    // An approved source reports for its bank.
    await confirmStatement(tx, statementId, reporterOf(source), { judge: async () => null, isToken: async () => false })
    return { statementId, problem: null }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { statementId, problem: error.message }
  }
}

/** A part of a file that was read, and how it is kept. */
type ReadPart = { readonly name: string; readonly keep: (tx: Tx) => Promise<Kept> }

/** Records what became of a file, once and for all, with its audit entry. */
const record = async (
  context: Context,
  source: Source,
  { key, name: whole, origin }: DepotFile,
  parts: readonly ReadPart[],
): Promise<void> => {
  const work = async (tx: Tx): Promise<Kept[]> => {
    const [held] = await tx.query(holdLook, { id: source.id, pickupUntil: source.until })
    if (!held) throw new DepotFault('the pickup was changed meanwhile')
    const all: Kept[] = []
    for (const part of parts) all.push(await part.keep(tx))
    await tx.query(insertPicked, {
      rows: all.map(({ statementId, problem }, index) => ({
        ...{ id: tx.newId(), sourceId: source.id, key: index === 0 ? key : `${key}#${index}` },
        ...{ name: parts[index]?.name ?? whole, origin, pickedAt: tx.now, statementId },
        problem: problem === null ? null : asLine(problem),
      })),
    })
    await noteContact(tx, source.id)
    return all
  }
  await actAudited(context, work, (all) => ({
    actor: `source:${source.id}`,
    action: 'statement.pick-up',
    subject: `source:${source.id}`,
    details: { file: whole, origin, statements: all.map(({ statementId }) => statementId) },
  }))
}

/** A file, or a part of one, without a statement. */
const without = (name: string, problem: string | null): ReadPart => ({
  name,
  keep: async () => ({ statementId: null, problem }),
})

/** Reads the statements in a file. */
const readParts = async (context: Context, source: Source, content: Content): Promise<readonly ReadPart[]> => {
  try {
    const parts: ReadPart[] = []
    for (const part of unpack(content)) {
      const staged = await stage(context, source, part)
      parts.push({ name: part.name, keep: (tx) => keep(tx, source, staged) })
    }
    if (parts.length > 0) return parts
    return [without(nameOf(content.name), 'The archive has no file that may be a statement.')]
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    return [without(nameOf(content.name), error.reason)]
  }
}

const take = async (context: Context, source: Source, file: DepotFile): Promise<void> => {
  const { name, bytes: size, mayGrow, problem } = file
  const giveUp = (reason: string): Promise<void> => record(context, source, file, [without(name, reason)])
  if (problem !== undefined) return giveUp(problem)
  if (size > mostBytes) return giveUp(`It is larger than ${mostBytes / 1024 / 1024} MiB: upload it yourself.`)
  try {
    const contents = await file.read()
    // It has grown since it was listed: it is another one in the next look.
    if (mayGrow && contents.some(({ bytes }) => bytes.length !== size)) return
    const parts: ReadPart[] = []
    for (const content of contents) parts.push(...(await readParts(context, source, content)))
    // A mail without attachments, or an empty archive, is not read again.
    await record(context, source, file, parts.length > 0 ? parts : [without(name, null)])
  } catch (error) {
    if (!(error instanceof BadFile)) throw error
    await giveUp(`${error.message} Upload what the bank has sent yourself.`)
  }
}

const problemOf = (context: Context, { id }: Source, error: unknown): string => {
  if (error instanceof DepotFault) return error.message
  context.log.warn({ err: error, source: id }, 'files could not be picked up')
  return 'a file could not be taken: the log of the service says why'
}

/** Takes the new files of a depot; returns the keys of those that may still be written, and why any was not taken. */
const look = async (
  context: Context,
  source: Source,
  depot: OpenDepot,
  signal: AbortSignal,
): Promise<{
  readonly growing: readonly string[]
  readonly failure: string | null
  readonly notice: string | null
}> => {
  const { files, problem: notice = null } = await depot.list()
  const listed = files
    .filter(({ name }) => isStatementName(name))
    .map((file) => ({
      ...{ ...file, name: nameOf(file.name), origin: asLine(file.origin) },
      // Files of another depot are other files.
      key: hashText(JSON.stringify([source.pickup.address, file.key])),
    }))
  const keys = listed.map(({ key }) => key)
  const known = new Set((await context.query(listKnownKeys, { sourceId: source.id, keys })).map(({ key }) => key))
  const fresh = listed.filter(({ key }) => !known.has(key))
  const grown = new Set(source.pickupGrowing)
  const ripe = fresh.filter(({ key, mayGrow }) => !mayGrow || grown.has(key))
  // Anybody may send mails that are not proven: they must not keep the others waiting.
  const provenFirst = ripe.toSorted(
    (one, other) => Number(one.problem !== undefined) - Number(other.problem !== undefined),
  )
  let failure: string | null = null
  let taken = 0
  for (const file of provenFirst) {
    if (taken === filesPerLook) break
    signal.throwIfAborted()
    try {
      await take(context, source, file)
      taken++
    } catch (error) {
      // The others are taken nevertheless.
      failure ??= `${file.name}: ${problemOf(context, source, error)}`
    }
  }
  return { growing: fresh.filter(({ mayGrow }) => mayGrow).map(({ key }) => key), failure, notice }
}

/**
 * Looks at the depot that is due next, an approved one first, and takes what is new there: each file once, on any number of
 * nodes. A file about which there is a doubt waits for a person. Returns how many depots were looked at. `signal` cuts a look
 * off, and the next one goes on.
 */
export const pickUpFiles = async (
  context: Context,
  signal: AbortSignal = new AbortController().signal,
  times = usualTimes,
): Promise<number> => {
  const now = context.clock()
  const until = now + lookMs
  const [due] = await context.query(takeDue, { ...planBounds(now, lookMs), until })
  if (!due) return 0
  const { pickup, pickupSecretSealed: sealed } = due
  if (pickup === null) throw invalidState('The source has no pickup.')
  const source = { ...due, pickup, until }
  const secret = sealed === null ? '' : pickupSecret.open(context.vault, due.id, sealed)
  const lookEnds = AbortSignal.timeout(due.changedBy === null ? times.approvedMs : times.unapprovedMs)
  const ends = AbortSignal.any([signal, lookEnds])
  let growing: readonly string[] = due.pickupGrowing
  let failure: string | null = null
  let notice: string | null = null
  try {
    await using depot = await context.depots.open({ pickup, secret, signal: ends, now })
    ;({ growing, failure, notice } = await look(context, source, depot, ends))
  } catch (error) {
    failure = ends.aborted ? 'the last look was cut off' : problemOf(context, source, error)
  }
  const problem = failure ?? notice
  const pauseMs = signal.aborted ? 0 : failure === null ? everyMs : afterFailureMs
  const at = context.clock()
  await context.query(endLook, {
    ...{ id: due.id, until, now: at, pickupDueAt: at + pauseMs, pickupGrowing: growing },
    pickupProblem: signal.aborted ? due.pickupProblem : problem === null ? null : asLine(problem),
  })
  return 1
}
