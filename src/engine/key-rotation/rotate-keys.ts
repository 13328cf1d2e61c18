import { sealedChannels } from '../alerts/channels/channel.ts'
import type { Context, Tx } from '../context.ts'
import { sealedEvidence, sealedReceipts } from '../disputes/claims/seal-file.ts'
import { invalidState } from '../../rules/refusal.ts'
import { renewSecondFactors } from '../members/auth/auth-secrets.ts'
import { sealedEndpoints } from '../notifications/endpoints/endpoints.ts'
import { sealedPayers } from '../payments/payer-changes.ts'
import { sealedPhones } from '../phones/phones.ts'
import { sealedMessages } from '../phones/read-message.ts'
import { renewAllAccounts } from '../requisites/bindings/binding.ts'
import { sealedRequisites } from '../requisites/requisite-pool.ts'
import { moveUses, renewUses } from '../risk/uses.ts'
import { sealedBlocks } from '../risk/blocks.ts'
import { renewEntries } from '../search/renew-entries.ts'
import { sealedNumbers } from '../statements/account-numbers.ts'
import { sealedRows, sealedSources } from '../statements/row-details.ts'
import { sealedOutgoing, sealedRefunds, sealedRules, sealedTransfers } from '../transfers/sealed-transfers.ts'
import { forgetOtherKeys } from './admit-keys.ts'
import { listKnownProcesses } from './read.ts'
import {
  deleteOtherRotations,
  insertRotation,
  insertSteps,
  findRotation,
  finishRotationRow,
  listSteps,
  lockStep,
  updateStep,
  renewalQueries,
} from './store.ts'
import type { RenewedIndex, SealedRow, SealedTable } from '../../secrets/vault.ts'

/** The result of a batch of a step: `position` is the last row that it read, null at the end of the pass. */
type Batch = { readonly position: readonly string[] | null; readonly renewed: number }

/** A part of the rotation: rows that are renewed batch by batch, each in a separate transaction. */
export type RotationStep = {
  readonly name: string
  /** Renews the rows after a position, or from the beginning. */
  run(tx: Tx, position: readonly string[] | null): Promise<Batch>
}

/** Further changes in the same transaction after the keyed hashes of rows have changed. */
type Follow = (tx: Tx, changed: readonly RenewedIndex[]) => Promise<void>

const rowsAtOnce = 500

/** Seals and indexes the rows of a table again; rows that the first key has sealed stay as they are. */
const renewTable = (sealed: SealedTable, follow?: Follow): RotationStep => {
  const { table, columns, also = [], rowOf = (row) => row['id'] ?? '' } = sealed
  const limit = sealed.rowsAtOnce ?? rowsAtOnce
  const queries = renewalQueries({
    ...{ table, key: sealed.key, also },
    sealed: columns.map(({ name }) => name),
    indexes: columns.flatMap(({ index }) => index?.name ?? []),
  })

  const renew = (tx: Tx, row: SealedRow): { row: SealedRow; changed: RenewedIndex[] } => {
    const changed: RenewedIndex[] = []
    const renewed: Record<string, string | null> = { ...row }
    for (const { name, locatedAs = name, index } of columns) {
      const before = row[name] ?? null
      renewed[queries.beforeOf(name)] = before
      if (index) renewed[index.name] = null
      if (before === null) continue
      const location = { table, column: locatedAs, row: rowOf(row) }
      renewed[name] = tx.vault.reseal(before, location) ?? before
      const after = index ? index.of(tx.vault, tx.vault.decryptBytes(before, location), row) : null
      const old = index ? (row[index.name] ?? null) : null
      if (!index || after === null || old === null || after === old) continue
      renewed[index.name] = after
      changed.push({ column: index.name, before: old, after })
    }
    return { row: renewed, changed }
  }

  return {
    name: table,
    run: async (tx, position) => {
      const from = position ?? queries.beginning
      const page = await tx.query(queries.listPage, { position: from, prefix: tx.vault.sealedPrefix, limit })
      const rows = page.map(({ row }) => row)
      const stale = rows.filter((row) => columns.some(({ name }) => row[name] !== null)).map((row) => renew(tx, row))
      if (stale.length > 0) {
        await tx.query(queries.updateRows, { changed: stale.map(({ row }) => row) })
        await follow?.(
          tx,
          stale.flatMap(({ changed }) => changed),
        )
      }
      const last = rows.at(-1)
      const isEnd = rows.length < limit || last === undefined
      return { position: isEnd ? null : queries.positionOf(last), renewed: stale.length }
    },
  }
}

/** Everything that is sealed or hashed with a key. */
const rotationSteps: readonly RotationStep[] = [
  renewTable(sealedRequisites),
  { name: 'statement_accounts', run: renewAllAccounts },
  renewTable(sealedSources),
  renewTable(sealedPhones),
  renewTable(sealedMessages),
  renewTable(sealedBlocks),
  renewTable(sealedEndpoints),
  renewTable(sealedChannels),
  { name: 'member_second_factors', run: renewSecondFactors },
  renewTable(sealedPayers, moveUses),
  renewTable(sealedTransfers, moveUses),
  renewTable(sealedOutgoing),
  renewTable(sealedRules),
  renewTable(sealedRefunds),
  { name: 'risk_uses', run: renewUses },
  renewTable(sealedNumbers),
  renewTable(sealedRows),
  renewTable(sealedReceipts),
  renewTable(sealedEvidence),
  { name: 'search_entries', run: renewEntries },
]

/**
 * Refuses `invalid_state` if a rotation to the first key could not finish: there is no other key, or a running process
 * seals with another one.
 */
export const refuseRotation = async (context: Context): Promise<void> => {
  const [first, ...others] = context.vault.keyIds
  if (others.length === 0) {
    throw invalidState(
      `This process has the key ${first} alone: put a new key before it in PAYIN_ENCRYPTION_KEYS (new:…,${first}:…), and restart the processes.`,
    )
  }
  const example = (await listKnownProcesses(context)).find(({ keyIds }) => keyIds[0] !== first)
  if (!example) return
  throw invalidState(
    `A process that runs (${example.name}, from ${example.host}) has the keys ${example.keyIds.join(', ')} in this order: restart it with the same PAYIN_ENCRYPTION_KEYS as this one (${context.vault.keyIds.join(', ')}), so that everything new is sealed with ${first}.`,
  )
}

/** Starts the rotation to the first key; one that is under way continues. */
export const startRotation = async (tx: Tx, startedBy: string): Promise<void> => {
  const keyId = tx.vault.keyIds[0] ?? ''
  await tx.query(deleteOtherRotations, { keyId })
  const [started] = await tx.query(insertRotation, { keyId, startedBy, now: tx.now })
  if (!started) return
  await tx.query(insertSteps, { keyId, rows: rotationSteps.map(({ name }) => ({ step: name })) })
}

/** Batches per round: other work of the process gets its turn after each. */
const batchesAtOnce = 10

type Progress = 'goes-on' | 'finished' | 'elsewhere'

/**
 * Renews one batch of a step. If a pass has renewed something, the step starts over at its end, to find what a process
 * with another first key has written meanwhile.
 */
const runBatch = (context: Context, keyId: string, step: RotationStep): Promise<Progress> =>
  context.transaction(async (tx) => {
    const of = { keyId, step: step.name }
    const [known] = await tx.query(lockStep, of)
    if (!known) return 'elsewhere'
    const batch = await step.run(tx, known.position)
    const { position, renewed } = { ...batch, renewed: BigInt(batch.renewed) }
    const renewedInPass = known.renewedInPass + renewed
    const isEnd = position === null
    const isFinished = isEnd && renewedInPass === 0n
    const pass = { renewedInPass: isEnd ? 0n : renewedInPass, finishedAt: isFinished ? tx.now : null }
    await tx.query(updateStep, { ...of, position, renewed, ...pass })
    return isFinished ? 'finished' : 'goes-on'
  })

/** Ends a rotation whose steps are finished: the vault's other keys are no longer needed. */
const finish = (context: Context, keyId: string): Promise<boolean> =>
  context.transaction(async (tx) => {
    const [finished] = await tx.query(finishRotationRow, { keyId, now: tx.now })
    if (!finished) return false
    await forgetOtherKeys(tx, tx.vault)
    return true
  })

/** Renews some batches of the rotation under way; returns how many it did. Safe on any number of processes. */
export const rotateKeys = async (context: Context): Promise<number> => {
  const [rotation] = await context.query(findRotation, {})
  if (!rotation || rotation.finishedAt !== null) return 0
  const { keyId } = rotation
  if (keyId !== context.vault.keyIds[0]) {
    context.log.warn({ keyId }, 'keys are rotated to another key than the first one of this process')
    return 0
  }
  const steps = new Map(rotationSteps.map((step) => [step.name, step]))
  let done = 0
  for (const { step: name, isFinished } of await context.query(listSteps, { keyId })) {
    const step = steps.get(name)
    if (isFinished || !step) continue
    let progress: Progress = 'goes-on'
    while (progress === 'goes-on' && done < batchesAtOnce) {
      progress = await runBatch(context, keyId, step)
      if (progress !== 'elsewhere') done++
    }
    if (done >= batchesAtOnce) return done
  }
  const left = (await context.query(listSteps, { keyId })).some(({ isFinished }) => !isFinished)
  return !left && (await finish(context, keyId)) ? done + 1 : done
}
