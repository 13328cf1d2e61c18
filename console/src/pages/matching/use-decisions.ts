import { notifications } from '@mantine/notifications'
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DecideTransfersAnswer } from '../../../../src/operations/decide-transfers.ts'
import {
  decide,
  keyText,
  readDecision,
  readDecisions,
  revoke,
  transferDetails,
  type Wanted,
} from '../../api/transfers.ts'
import { personName } from '../../parts/field-values.tsx'
import { useSession } from '../../session.ts'
import { hourAndMinute } from '../../time.ts'
import { say } from '../../language.ts'

const problem = (title: string, message: string): void => {
  notifications.show({ color: 'red', title, message, autoClose: 8000 })
}

const plural = (count: number): string => (count === 1 ? '1 transfer' : `${count} transfers`)

/** Why a decision was refused: what a colleague has decided meanwhile, if that is why. */
const whyRefused = async (
  queries: QueryClient,
  refused: DecideTransfersAnswer['transfers'][number],
): Promise<string> => {
  const message = refused.message ?? ''
  if (refused.code !== 'invalid_state') return message
  const { parts } = await queries.fetchQuery({ ...transferDetails(keyText(refused)), staleTime: 0 })
  const taken = parts.find(({ kind, by }) => kind !== 'suspense' && by !== 'service')
  if (taken === undefined) return message
  const { kind, orderId, by, at } = taken
  const what = orderId === undefined ? kind : `assigned to ${orderId}`
  return `${what} by ${personName(by)}${at === undefined ? '' : `, ${hourAndMinute.format(new Date(at))}`}`
}

/** Says what was decided and, of a single transfer, whether that can be undone. */
const report = async ({ id, transfers }: DecideTransfersAnswer): Promise<void> => {
  const done = transfers.filter(({ state }) => state === 'done')
  const [first, ...others] = id !== undefined && done.length === 1 ? (await readDecision(id)).transfers : []
  notifications.hide('decided')
  if (done.length === 0) return
  const undo =
    first === undefined || others.length > 0
      ? undefined
      : first.state === 'irrevocable'
        ? `It cannot be undone: ${say(first.message ?? '')}`
        : 'You can undo it with u.'
  notifications.show({ id: 'decided', title: `${plural(done.length)} decided`, message: undo })
}

/**
 * Decisions: decided transfers leave the queue at once, and return if the service refuses. Undo revokes the person's
 * last decision that the service knows of, whichever window it was made in.
 */
export const useDecisions = () => {
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set())
  const queries = useQueryClient()
  const session = useSession()
  const name = session.state === 'signed-in' ? session.person.name : undefined
  const bringBack = (keys: readonly string[]): void =>
    setDecided((before) => new Set([...before].filter((key) => !keys.includes(key))))
  const renew = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: ['transfers'] })
    await queries.invalidateQueries({ queryKey: ['reconciliation'] })
  }

  const make = useMutation({
    mutationFn: decide,
    onMutate: (wanted: readonly Wanted[]) => setDecided((before) => new Set([...before, ...wanted.map(keyText)])),
    onError: (error, wanted) => {
      bringBack(wanted.map(keyText))
      problem('Nothing was decided', say(error.message))
    },
    onSuccess: async (answer) => {
      const { transfers } = answer
      const refused = transfers.filter(({ state }) => state === 'refused')
      bringBack(refused.map(keyText))
      const [first] = refused
      if (first !== undefined) {
        const why = await whyRefused(queries, first).catch(() => first.message ?? '')
        problem(`${plural(refused.length)} refused`, why)
      }
      await Promise.all([renew(), report(answer).catch(() => undefined)])
      // The service's queue is up to date now: a transfer that another person returns to the inbox is shown again.
      bringBack(transfers.map(keyText))
    },
  })

  const undo = useMutation({
    mutationFn: async () => {
      const { decisions } = await readDecisions()
      const last = decisions.find(({ by, done, revoked }) => by === `operator:${name}` && done > revoked)
      if (last === undefined) return undefined
      return (await revoke(last.id)).transfers
    },
    onError: (error) => problem('Nothing was undone', say(error.message)),
    onSuccess: async (transfers) => {
      if (transfers === undefined) return problem('There is nothing to undo', 'Decisions can be undone for a day.')
      notifications.hide('decided')
      const refused = transfers.filter(({ state }) => state === 'refused')
      if (refused.length > 0) problem(`${plural(refused.length)} not undone`, refused[0]?.message ?? '')
      const done = transfers.filter(({ state }) => state === 'revoked')
      bringBack(done.map(keyText))
      if (done.length > 0) notifications.show({ message: `${plural(done.length)} back in the queue` })
      await renew()
    },
  })

  return { decided, make: make.mutate, undo: undo.mutate, isUndoing: undo.isPending }
}
