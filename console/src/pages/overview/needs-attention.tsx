import { Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type WaitingKind, waitingKinds } from '../../../../src/rules/notices/waiting.ts'
import type { OverviewAnswer } from '../../../../src/operations/overview.ts'
import type { PauseAnswer } from '../../../../src/operations/requisite-health.ts'
import { api, type Query } from '../../api/client.ts'
import { requisiteName } from '../../api/requisites.ts'
import { useLiveQuery } from '../../live.ts'
import { ModeChoice, useMode } from '../../parts/mode-choice.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import type { Tone } from '../../parts/status-badge.tsx'
import { useNow } from '../../time.ts'
import { language } from '../../language.ts'

type Waiting = OverviewAnswer['waiting'][number]

/** Each kind of waiting work in words, and why it matters. */
const kinds: Readonly<Record<WaitingKind, { readonly title: string; readonly why: string; readonly tone: Tone }>> = {
  'stale-rates': { title: 'Rates are stale', why: 'New payments are refused until there is a rate.', tone: 'bad' },
  'rate-proposals': { title: 'Rates to agree to', why: 'A second person must set the same price.', tone: 'wait' },
  disputes: { title: 'Disputes', why: 'Somebody claims money that was not credited, or not correctly.', tone: 'bad' },
  corrections: {
    title: 'Corrections to confirm',
    why: 'Another final amount of a credited payment. A second person must agree.',
    tone: 'wait',
  },
  transfers: {
    title: 'Transfers to match',
    why: 'Money has arrived, and it is not certain for which payment.',
    tone: 'wait',
  },
  'possible-duplicates': { title: 'Possible duplicates', why: 'May be money that is already known.', tone: 'wait' },
  reversals: {
    title: 'Reversals to assign',
    why: 'A bank has taken money back, and it is not certain which transfer.',
    tone: 'bad',
  },
  statements: { title: 'Statements to confirm', why: 'Read, but not imported yet.', tone: 'wait' },
  'crediting-held': {
    title: 'Crediting held',
    why: 'A statement does not add up: money on the account waits for a person.',
    tone: 'bad',
  },
  'phone-messages': {
    title: "Banks' messages",
    why: 'A phone has forwarded them, and nobody knows for certain what money they report.',
    tone: 'wait',
  },
  'paused-requisites': { title: 'Requisites paused', why: 'They get no new payments.', tone: 'wait' },
  'troubled-endpoints': { title: 'Failing endpoints', why: 'Merchants do not get their notifications.', tone: 'bad' },
  overpayments: { title: 'Overpayments', why: 'Owed to payers who sent too much.', tone: 'wait' },
  outgoing: { title: 'Outgoing money to explain', why: 'Nobody has said what it was for.', tone: 'wait' },
  unproven: {
    title: 'Not proven yet',
    why: 'Credited on a message of a bank. Its statement will prove it, or lack it.',
    tone: 'wait',
  },
  'settlements-requested': {
    title: 'Settlements that merchants ask for',
    why: 'It holds their money until it is approved, or refused.',
    tone: 'wait',
  },
  'settlements-to-approve': { title: 'Settlements to approve', why: 'A second person must agree.', tone: 'wait' },
  'settlements-to-pay': { title: 'Settlements to pay', why: 'Approved, but not paid out yet.', tone: 'wait' },
  'refunds-to-approve': { title: 'Refunds to approve', why: 'Merchants ask to give money back.', tone: 'wait' },
  'refunds-to-send': { title: 'Refunds to send', why: 'Approved, but not sent yet.', tone: 'wait' },
  'refunds-to-fail': {
    title: 'Sent refunds to give up',
    why: 'Their money may be under way. A second person must agree.',
    tone: 'wait',
  },
  'destinations-to-approve': {
    title: 'Destinations to approve',
    why: 'On the page of the merchant; where two people may, both must agree.',
    tone: 'wait',
  },
  adjustments: { title: 'Adjustments to approve', why: 'A second person must agree.', tone: 'wait' },
  unacknowledged: { title: 'Not acknowledged', why: 'Paid, but not acknowledged by their merchant.', tone: 'wait' },
}

const Facts = ({ waiting }: { readonly waiting: Waiting }) => {
  const now = useNow()
  const isLate = waiting.dueAt !== undefined && Date.parse(waiting.dueAt) < now
  return (
    <dl className="waiting-facts">
      {waiting.amounts.length > 0 && (
        <div>
          <dt>Money</dt>
          <dd>
            {waiting.amounts.map(({ amount, currency }) => (
              <MoneyText key={currency} amount={amount} currency={currency} />
            ))}
          </dd>
        </div>
      )}
      {waiting.dueAt !== undefined && (
        <div className={isLate ? 'late' : undefined}>
          <dt>{isLate ? 'Was due' : 'Next due'}</dt>
          <dd>
            <Moment at={waiting.dueAt} show="relative" />
          </dd>
        </div>
      )}
      {waiting.since !== undefined && (
        <div>
          <dt>Oldest</dt>
          <dd>
            <Moment at={waiting.since} show="relative" />
          </dd>
        </div>
      )}
    </dl>
  )
}

/** The requisites that were paused automatically, by name. */
const Paused = () => {
  const { data } = useLiveQuery({
    queryKey: ['requisites', 'pauses'],
    queryFn: () => api.get<{ pauses: PauseAnswer[] }>('/requisites/pauses', { open: 'true', limit: '5' }),
  })
  return data?.pauses.flatMap(({ requisite }) => (requisite === undefined ? [] : [requisiteName(requisite)])).join(', ')
}

const Tile = ({ waiting, mode }: { readonly waiting: Waiting; readonly mode: Query }) => {
  const { title, why, tone } = kinds[waiting.kind]
  const place = waitingKinds[waiting.kind]
  const content = (
    <>
      <span className="waiting-count">{waiting.count.toLocaleString(language)}</span>
      <span className="waiting-words">
        <span className="strong">{title}</span>
        <span className="quiet small">{why}</span>
        {waiting.kind === 'paused-requisites' && (
          <span className="small">
            <Paused />
          </span>
        )}
      </span>
      <Facts waiting={waiting} />
    </>
  )
  const className = `waiting panel tone-${tone}`
  return (
    <li>
      {'page' in place ? (
        <Link
          className={className}
          to={place.page}
          search={{ ...('search' in place && place.search), ...(place.page === '/matching' && mode) }}
        >
          {content}
        </Link>
      ) : (
        <div className={className}>{content}</div>
      )}
    </li>
  )
}

/** What waits for an operator, the most urgent first. */
export const NeedsAttention = () => {
  const mode = useMode()
  const { data, error, refetch } = useLiveQuery({
    queryKey: ['overview', mode],
    queryFn: () => api.get<OverviewAnswer>('/overview', mode),
  })
  return (
    <section aria-labelledby="needs-attention">
      <header className="overview-head">
        <h2 id="needs-attention">Needs attention</h2>
        <span className="quiet small">The most urgent first</span>
        <ModeChoice />
      </header>
      {error !== null && <ProblemMessage error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={72} radius={10} role="status" aria-label="Loading" />}
      {data?.waiting.length === 0 && (
        <p className="panel all-done">
          <span className="strong">Nothing waits for you.</span>{' '}
          <span className="quiet">
            Transfers that match are credited automatically. What is uncertain, nears a deadline or fails is shown here
            as soon as it happens.
          </span>
        </p>
      )}
      <ul className="waiting-list">
        {data?.waiting.map((waiting) => (
          <Tile key={waiting.kind} waiting={waiting} mode={mode} />
        ))}
      </ul>
    </section>
  )
}
