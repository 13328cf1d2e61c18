import { Textarea } from '@mantine/core'
import { useState } from 'react'
import type { RateProposal } from '../../../../src/operations/rates.ts'
import { overrideEnd, overrideSource } from '../../../../src/rules/money/rate-source.ts'
import { api } from '../../api/client.ts'
import { formatNumber } from '../../money.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { personName } from '../../parts/field-values.tsx'
import { Moment } from '../../parts/moment.tsx'
import { typedInto } from '../../parts/typed.ts'
import { useMay, useSession } from '../../session.ts'

/** Does what was proposed, in the same way: only that is an agreement. */
const agree = (
  { currency, price, source, sourceId, endsAt: until }: RateProposal,
  reason: string,
): Promise<{ readonly proposed?: boolean }> => {
  if (sourceId !== undefined) return api.post(`/rate-sources/${sourceId}/accept`, { price })
  if (source === overrideEnd) return api.delete(`/rates/${currency}/override`)
  const insisted = { price, outsideBand: true }
  if (source === overrideSource) return api.put(`/rates/${currency}/override`, { ...insisted, until, reason })
  return api.put(`/rates/${currency}`, { ...insisted, source })
}

const Agree = ({ proposal }: { readonly proposal: RateProposal }) => {
  const { currency, price, source, endsAt } = proposal
  const [given, setGiven] = useState({ reason: '' })
  const field = typedInto(given, setGiven)
  const isOverride = source === overrideSource
  const name = currency.toUpperCase()
  return (
    <ActButton
      text="Agree…"
      title={`Agree to this rate of ${name}?`}
      confirm="Agree to the rate"
      run={() => agree(proposal, given.reason.trim())}
      changes={['rates', 'overview']}
      isReady={!isOverride || given.reason.trim() !== ''}
      done={({ proposed }) =>
        proposed === true
          ? `Proposed: another operator sets ${price} for ${name}, too`
          : `The rate of ${name} is agreed on`
      }
    >
      <p>
        1 USDT = {formatNumber(price)} {name}. New payments use it from now on. Existing payments keep theirs.
      </p>
      {endsAt !== undefined && (
        <p>
          It ends <Moment at={endsAt} />.
        </p>
      )}
      {isOverride && <Textarea label="Reason" maxLength={500} autosize {...field('reason')} />}
    </ActButton>
  )
}

/** A rate that waits for another operator: who proposes it, and how to agree. */
export const ProposedRate = ({ proposal }: { readonly proposal: RateProposal }) => {
  const { currency, price, source, proposedBy, proposedAt } = proposal
  const maySet = useMay('account')
  const session = useSession()
  const isOwn = session.state === 'signed-in' && proposedBy === `operator:${session.person.name}`
  return (
    <div className="override proposal">
      <span>
        {personName(proposedBy)} proposes {formatNumber(price)} {currency.toUpperCase()} for 1 USDT,{' '}
        <Moment at={proposedAt} show="relative" /> {source === undefined ? '' : `(${source})`}: it takes effect once
        another operator agrees, within a day.
      </span>
      {maySet && !isOwn && <Agree proposal={proposal} />}
    </div>
  )
}
