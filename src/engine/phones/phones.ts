import type { Queryable } from 'payin-database'
import { bringBack } from '../bring-back.ts'
import type { Context, Tx } from '../context.ts'
import { invalidState, Refusal, refuseField, requireRow } from '../../rules/refusal.ts'
import { generateAccessToken } from '../../secrets/access-token.ts'
import type { SealedTable } from '../../secrets/vault.ts'
import { simulatedApp } from '../../rules/phones/phone.ts'
import { readCrediting } from '../requisites/read.ts'
import { refuseApproval, refuseUnapproved, unapprovedOf } from '../transfers/approve-reporter.ts'
import type { Assigner } from '../transfers/transfer-parts.ts'
import { findPhone, insertPhone, lockPhone, selectPhones, updatePhoneRow } from './store.ts'
import { type Instant, minute } from '../../rules/time.ts'
import { pauseSilentRequisites } from '../requisites/health/automatic-pauses.ts'
import { sealedText } from '../../secrets/sealed-text.ts'

/** A phone that forwards messages. */
export type Phone = ReturnType<typeof selectPhones.decode>

const secrets = sealedText('phones', 'secret_sealed')

export const sealedPhones: SealedTable = {
  table: 'phones',
  key: { id: 'uuid' },
  columns: [{ name: 'secret_sealed' }],
}

const checkRequisites = async (tx: Tx, { app, requisites }: Pick<Phone, 'app' | 'requisites'>): Promise<void> => {
  const ids = requisites.map(({ requisiteId }) => requisiteId)
  const known = await readCrediting(tx, ids)
  if (ids.some((id) => !known.has(id))) throw refuseField('requisites', 'names a requisite that is not known.')
  if (app === simulatedApp && [...known.values()].some(({ mode }) => mode === 'live'))
    throw refuseField('requisites', 'has one whose money is real, which nobody simulates.')
  if (new Set(ids).size < ids.length) throw refuseField('requisites', 'names a requisite twice.')
}

const withoutSecret = <T extends { readonly secretSealed: string }>({ secretSealed, ...phone }: T) => phone

/** All phones by name, without those that were removed. */
export const listPhones = (context: Context): Promise<Phone[]> => context.query(selectPhones, {})

/** One phone; refuses `resource_not_found`. */
export const getPhone = async (sql: Queryable, id: string): Promise<Phone> => {
  const found = requireRow(await sql.query(findPhone, { id }), 'phone')
  return withoutSecret(found)
}

/** What of a phone waits for an approval: its secret, its requisites and its limit. */
export const unapprovedOfPhone = (phone: Phone) =>
  unapprovedOf(phone, [phone.secretPrefix, phone.requisites, String(phone.dailyLimit), phone.checksBalance])

/**
 * Locks a phone to change it; refuses `resource_not_found`, `invalid_state` if it was removed, and as `refuseUnapproved`
 * does.
 */
const lockToChange = async (tx: Tx, id: string, changedBy: string | null) => {
  const before = requireRow(await tx.query(lockPhone, { id }), 'phone')
  if (before.state === 'removed') throw invalidState('The phone was removed.')
  refuseUnapproved(before, changedBy, 'phone')
  return before
}

type Given = Pick<Phone, 'requisites' | 'dailyLimit' | 'checksBalance' | 'silentMinutes'>

/**
 * Adds a phone, which stands on the word of `changedBy` unless that is null; returns its id and its secret, for this one
 * time. Refuses `already_exists`, `validation_failed`.
 */
export const addPhone = async (
  tx: Tx,
  wanted: Pick<Phone, 'name' | 'app' | 'changedBy'> & Given,
): Promise<{ readonly id: string; readonly secret: string }> => {
  await checkRequisites(tx, wanted)
  const id = tx.newId()
  const { token: secret, prefix: secretPrefix } = generateAccessToken('phone')
  const secretSealed = secrets.seal(tx.vault, id, secret)
  const row = { ...wanted, id, secretSealed, secretPrefix, state: 'active', createdAt: tx.now } as const
  const [added] = await tx.query(insertPhone, row)
  if (!added) throw new Refusal('already_exists', `There is a phone named ${wanted.name} already.`)
  return { id, secret }
}

/**
 * Changes what a phone may do. If `changedBy` names who does that alone, its messages stand on this one's word until
 * another operator approves it. Refuses `resource_not_found`, `validation_failed`, `invalid_state`.
 */
export const updatePhone = async (
  tx: Tx,
  id: string,
  {
    changedBy,
    ...wanted
  }: Partial<Omit<Given, 'requisites'>> &
    Pick<Phone, 'changedBy'> & {
      /** Changes those that it has. */
      readonly requisites?: (before: Phone['requisites']) => Phone['requisites']
    },
): Promise<void> => {
  const before = await lockToChange(tx, id, changedBy)
  const requisites = wanted.requisites?.(before.requisites) ?? before.requisites
  await checkRequisites(tx, { ...before, requisites })
  await tx.query(updatePhoneRow, { ...before, ...wanted, requisites, changedBy: changedBy ?? before.changedBy })
}

/**
 * Gives a phone a new secret and returns it, for this one time; the former one ends. What comes with it stands on the
 * word of `by` until another operator approves it; null: it needs no approval. Refuses as `updatePhone`.
 */
export const renewPhoneSecret = async (tx: Tx, id: string, by: string | null): Promise<string> => {
  const before = await lockToChange(tx, id, by)
  const { token: secret, prefix: secretPrefix } = generateAccessToken('phone')
  const secretSealed = secrets.seal(tx.vault, id, secret)
  await tx.query(updatePhoneRow, { ...before, secretSealed, secretPrefix, changedBy: by ?? before.changedBy })
  return secret
}

/**
 * Approves a phone as it was `seen`: its messages then have its own limit. Refuses `resource_not_found`, and as
 * `refuseApproval` does.
 */
export const approvePhone = async (
  tx: Tx,
  id: string,
  seen: string,
  second: Pick<Assigner, 'refuseOnePerson'>,
): Promise<void> => {
  const before = await lockToChange(tx, id, null)
  await refuseApproval(tx, 'phone', unapprovedOfPhone(before), seen, second)
  await tx.query(updatePhoneRow, { ...before, changedBy: null })
}

/**
 * Pauses a phone, resumes it, or removes it, which nothing undoes. What a paused phone reports waits in the inbox. Refuses
 * `resource_not_found`, and `invalid_state` if it was removed.
 */
export const setPhoneState = async (tx: Tx, id: string, state: Phone['state']): Promise<void> => {
  await tx.query(updatePhoneRow, { ...(await lockToChange(tx, id, null)), state })
}

/** A phone with its secret, to check a request; `undefined` if there is none, or it was removed. */
export const findForwarder = async (
  context: Context,
  id: string,
): Promise<{ readonly phone: Phone; readonly secret: string } | undefined> => {
  const [found] = await context.query(findPhone, { id })
  if (!found || found.state === 'removed') return undefined
  return { phone: withoutSecret(found), secret: secrets.open(context.vault, id, found.secretSealed) }
}

/** Phones that may not be silent for long; `since`: since when each has been, longer than it may. */
const listWatched = async (context: Context, now: Instant) =>
  (await context.query(selectPhones, {})).flatMap(({ state, silentMinutes, ...phone }) => {
    if (state !== 'active' || silentMinutes === null) return []
    const since = phone.lastSeenAt ?? phone.createdAt
    return [{ ...phone, silentMinutes, since: now - since > silentMinutes * minute ? since : null }]
  })

/** Counts the silence of phones from now on that a clock that was ahead has seen later; returns how many. */
export const bringSeenPhonesBack = bringBack('phones', 'last_seen_at')

/** Phones that have been silent for longer than they may. */
export const listSilentPhones = async (context: Context, now: Instant) =>
  (await listWatched(context, now)).flatMap(({ since, ...phone }) => (since === null ? [] : [{ ...phone, since }]))

/**
 * Pauses the requisites of phones that have been silent for longer than they may, and resumes them when they are back;
 * returns how many. A requisite of several phones is reported while one of them is heard.
 */
export const watchPhones = async (context: Context): Promise<number> => {
  const phones = await listWatched(context, context.clock())
  const ofRequisites = Map.groupBy(
    phones.flatMap((phone) => phone.requisites.map(({ requisiteId }) => ({ requisiteId, phone }))),
    ({ requisiteId }) => requisiteId,
  )
  const heard = [...ofRequisites].map(([id, each]) => {
    const silences = each.map(({ phone }) => phone.since)
    const isSilent = silences.every((since) => since !== null)
    const limitMinutes = Math.max(...each.map(({ phone }) => phone.silentMinutes))
    return { id, limitMinutes, silentSince: isSilent ? Math.max(...silences) : null }
  })
  // Those that are back come first, then the longest silent one: the last active one of a group stays.
  const longestFirst = heard.toSorted((a, b) => (a.silentSince ?? 0) - (b.silentSince ?? 0))
  return pauseSilentRequisites(context, longestFirst)
}
