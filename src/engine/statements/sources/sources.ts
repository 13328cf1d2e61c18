import { bringBack } from '../../bring-back.ts'
import type { Context, Tx } from '../../context.ts'
import type { Queryable } from 'payin-database'
import { sourceOf } from '../../../rules/transfers/channel.ts'
import type { GivenMapping } from 'bank-files/pure'
import { Refusal, refuseField, requireRow } from '../../../rules/refusal.ts'
import { generateAccessToken } from '../../../secrets/access-token.ts'
import {
  findOtherOfSameMoney,
  findSource,
  insertSource,
  listSameMoney,
  lockSource,
  selectSources,
  touchSource,
  updateSourceRow,
} from './store.ts'
import { requisiteCurrencies } from '../../requisites/read.ts'
import { refuseApproval, refuseUnapproved, unapprovedOf } from '../../transfers/approve-reporter.ts'
import type { Assigner } from '../../transfers/transfer-parts.ts'
import { sealedText } from '../../../secrets/sealed-text.ts'

/** A bank, or a system in between, that reports money for some requisites. */
export type Source = ReturnType<typeof selectSources.decode>

const keys = sealedText('statement_sources', 'key_sealed')

const checkKnown = async (tx: Tx, requisiteIds: readonly string[]): Promise<void> => {
  const known = await requisiteCurrencies(tx, requisiteIds)
  if (requisiteIds.some((id) => !known.has(id)))
    throw refuseField('requisiteIds', 'names a requisite that is not known.')
}

const find = async (sql: Pick<Tx, 'query'>, id: string, query: typeof findSource) =>
  requireRow(await sql.query(query, { id }), 'source')

/** Refuses unknown sources, and chains: all sources that report the same money must name one source. */
const checkSameMoney = async (tx: Tx, id: string | null, sameMoneyAs: string | null): Promise<void> => {
  if (sameMoneyAs === null) return
  const refuse = (message: string): Refusal => refuseField('sameMoneyAs', message)
  if (sameMoneyAs === id) throw refuse('is the source itself.')
  // Locked: it must not begin to name another source meanwhile.
  const [other] = await tx.query(lockSource, { id: sameMoneyAs })
  if (!other) throw refuse('is not a known source.')
  if (other.sameMoneyAs !== null)
    throw refuse(`is a source that reports the same money as another one, ${other.sameMoneyAs}: name that one.`)
  const [further] = id === null ? [] : await tx.query(findOtherOfSameMoney, { id })
  if (further) throw refuse(`must be empty while ${further.name} reports the same money as this source.`)
}

/** Sources that are declared to report the same money as a channel. */
export const sourcesOfSameMoney = async (sql: Queryable, channel: string): Promise<string[]> => {
  const id = sourceOf(channel)
  return id === undefined ? [] : (await sql.query(listSameMoney, { id })).map((source) => source.id)
}

/** All sources, by name. */
export const listSources = (context: Context): Promise<Source[]> => context.query(selectSources, {})

/** One source; refuses `resource_not_found`. */
export const getSource = async (context: Context, id: string): Promise<Source> => {
  const { keySealed, ...source } = await find(context, id, findSource)
  return source
}

/** What of a source waits for an approval: its key, and all that says how it reports. */
export const unapprovedOfSource = (source: Source) =>
  unapprovedOf(source, [source.keyPrefix, source.requisiteIds, source.mapping, source.sameMoneyAs, source.pickup])

/** Locks a source; refuses `resource_not_found`, and as `refuseUnapproved` does. */
export const lockToChange = async (
  tx: Tx,
  id: string,
  changedBy: string | null,
): Promise<ReturnType<typeof lockSource.decode>> => {
  const before = await find(tx, id, lockSource)
  refuseUnapproved(before, changedBy, 'source')
  return before
}

/**
 * Adds a source, on the word of `changedBy` unless null; returns its id. Refuses `already_exists`, `validation_failed`.
 */
export const addSource = async (
  tx: Tx,
  wanted: Pick<Source, 'name' | 'requisiteIds' | 'mapping' | 'sameMoneyAs' | 'changedBy'>,
): Promise<string> => {
  await checkKnown(tx, wanted.requisiteIds)
  await checkSameMoney(tx, null, wanted.sameMoneyAs)
  const id = tx.newId()
  const [added] = await tx.query(insertSource, { ...wanted, id, pickup: null, createdAt: tx.now })
  if (!added) throw new Refusal('already_exists', `There is a source named ${wanted.name} already.`)
  return id
}

/**
 * Changes how a source reports. `changedBy` is on whose word it then stands, until another operator approves it.
 * Refuses as `lockToChange` does, and `validation_failed`.
 */
export const updateSource = async (
  tx: Tx,
  id: string,
  wanted: {
    readonly requisiteIds?: readonly string[] | undefined
    readonly mapping?: GivenMapping | null | undefined
    readonly sameMoneyAs?: string | null | undefined
    readonly changedBy: string | null
  },
): Promise<void> => {
  const before = await lockToChange(tx, id, wanted.changedBy)
  const changedBy = wanted.changedBy ?? before.changedBy
  const { requisiteIds = before.requisiteIds, mapping = before.mapping, sameMoneyAs = before.sameMoneyAs } = wanted
  await checkKnown(tx, requisiteIds)
  if (wanted.sameMoneyAs !== undefined) await checkSameMoney(tx, id, wanted.sameMoneyAs)
  await tx.query(updateSourceRow, { ...before, requisiteIds, mapping, sameMoneyAs, changedBy })
}

/**
 * Gives a source a new key and returns it, for this one time; the former key ends. What is signed with it stands on the
 * word of `by` until another operator approves it; null: it needs no approval. Refuses as `lockToChange` does.
 */
export const renewSourceKey = async (tx: Tx, id: string, by: string | null): Promise<string> => {
  const before = await lockToChange(tx, id, by)
  const changedBy = by ?? before.changedBy
  const { token: key, prefix: keyPrefix } = generateAccessToken('feed')
  const keySealed = keys.seal(tx.vault, id, key)
  await tx.query(updateSourceRow, { ...before, keySealed, keyPrefix, changedBy })
  return key
}

/**
 * Approves a source as it was `seen`: its pushes are the bank's own reports, and its mapping reads files. Refuses
 * `resource_not_found`, and as `refuseApproval` does.
 */
export const approveSource = async (
  tx: Tx,
  id: string,
  seen: string,
  second: Pick<Assigner, 'refuseOnePerson'>,
): Promise<void> => {
  const before = await find(tx, id, lockSource)
  await refuseApproval(tx, 'source', unapprovedOfSource(before), seen, second)
  await tx.query(updateSourceRow, { ...before, changedBy: null })
}

/** Who alone has changed a source, if nobody has approved that; null without a source. */
export const findUnapproved = async (tx: Tx, id: string | null): Promise<string | null> =>
  id === null ? null : ((await tx.query(findSource, { id }))[0]?.changedBy ?? null)

/** Ends the key of a source; what was changed of it still waits for an approval. Refuses `resource_not_found`. */
export const endSourceKey = async (tx: Tx, id: string): Promise<void> => {
  await tx.query(updateSourceRow, { ...(await find(tx, id, lockSource)), keySealed: null, keyPrefix: null })
}

/** A source with its key, to check a push; `undefined` if there is none or it may not push. */
export const findPusher = async (
  context: Context,
  id: string,
): Promise<{ readonly source: Source; readonly key: string } | undefined> => {
  const [found] = await context.query(findSource, { id })
  if (!found?.keySealed) return undefined
  const { keySealed, ...source } = found
  return { source, key: keys.open(context.vault, id, keySealed) }
}

/** Records that a source has sent something. */
export const noteContact = async (tx: Tx, id: string): Promise<void> => {
  await tx.query(touchSource, { id, lastSeenAt: tx.now })
}

/** Counts the silence of sources from now on that a clock that was ahead has seen later; returns how many. */
export const bringSeenSourcesBack = bringBack('statement_sources', 'last_seen_at')
