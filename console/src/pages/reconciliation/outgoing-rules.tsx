import './reconciliation.css'
import { Button, Group } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type OutgoingRuleAnswer,
  outgoingRules,
  RuleOutcome,
  type SuggestedRule,
  TriedRule,
} from '../../../../src/operations/outgoing-rules.ts'
import { api } from '../../api/client.ts'
import { requisiteName } from '../../api/requisites.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FieldFacts } from '../../parts/field-facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { ReasonField } from '../../parts/reason-field.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { say } from '../../language.ts'

const { list } = outgoingRules.operations
const changes = ['rules', 'outgoing', 'reconciliation', 'ledger', 'overview']

const shownRows = 20

/** The last rows that a rule is for, and what it makes of them. */
const Rows = ({ rows }: { readonly rows: TriedRule['rows'] }) => (
  <>
    <ul className="plain-rows">
      {rows.slice(0, shownRows).map(({ id, amount, currency, bookedAt, purpose = 'unexplained', outcome }) => (
        <li key={id}>
          <MoneyText amount={amount} currency={currency} />
          <Moment at={bookedAt} />
          <span className="quiet">{purpose && say(purpose)}</span>
          <StatusBadge of={RuleOutcome} word={outcome} />
        </li>
      ))}
    </ul>
    {rows.length > shownRows && <p className="quiet">and {rows.length - shownRows} more</p>}
  </>
)

const suggestions = queryOptions({
  queryKey: ['rules', 'suggestions'],
  queryFn: async () => (await api.get<{ suggestions: SuggestedRule[] }>('/outgoing-rules/suggestions')).suggestions,
})

const oneRule = (id: string) =>
  queryOptions({ queryKey: ['rules', 'one', id], queryFn: () => api.get<TriedRule>(`/outgoing-rules/${id}`) })

const makeRule = (
  { requisiteId, id, purpose, reason }: Pick<SuggestedRule, 'requisiteId' | 'id' | 'purpose' | 'reason'>,
  dryRun: boolean,
) => api.post<TriedRule>(`/outgoing-rules/like/${requisiteId}/${id}`, { purpose, reason, dryRun })

const Tried = ({ suggested }: { readonly suggested: SuggestedRule }) => {
  const { data, error } = useQuery({
    queryKey: ['rules', 'tried', suggested.id],
    queryFn: () => makeRule(suggested, true),
  })
  return error ? <ProblemMessage error={error} /> : data && <Rows rows={data.rows} />
}

const Suggested = ({ suggested }: { readonly suggested: SuggestedRule }) => {
  const { text, payee, requisite, purpose, times, waiting } = suggested
  const [reason, setReason] = useState(suggested.reason)
  const words = [text, payee].filter((each) => each !== undefined).join(' · ')
  return (
    <li>
      <div>
        <div className="strong">{words}</div>
        <div className="quiet small">
          {requisite && requisiteName(requisite)}: booked {times} times as {say(purpose)}, {waiting} waiting
        </div>
      </div>
      <ActButton
        text="Make it a rule…"
        title={`Book “${words}” as ${say(purpose)}?`}
        confirm="Add the rule"
        isReady={reason.trim() !== ''}
        run={() => makeRule({ ...suggested, reason: reason.trim() }, false)}
        changes={changes}
        done={({ rows }) => `The rule has booked ${rows.filter(({ outcome }) => outcome === 'books').length}`}
      >
        <p>
          It books what waits, and new rows like these. Until another operator approves it, that counts towards what you
          may explain alone.
        </p>
        <Tried suggested={suggested} />
        <ReasonField value={reason} onChange={setReason} />
      </ActButton>
    </li>
  )
}

const Suggestions = () => {
  const { data = [] } = useQuery(suggestions)
  const mayAdd = useMay('reconcile')
  if (data.length === 0 || !mayAdd) return null
  return (
    <section>
      <h2>Booked again and again</h2>
      <ul className="plain-rows">
        {data.map((each) => (
          <Suggested key={each.id} suggested={each} />
        ))}
      </ul>
    </section>
  )
}

const Content = ({ rule }: { readonly rule: TriedRule }) => {
  const mayDecide = useMay('reconcile')
  return (
    <>
      {mayDecide && (
        <Group>
          {rule.approvedBy === undefined && (
            <ActButton
              text="Approve…"
              title="Approve this rule?"
              confirm="Approve the rule"
              run={() => api.post(`/outgoing-rules/${rule.id}/approve`, undefined)}
              changes={changes}
              done="The rule is approved"
            >
              <p>What it books then needs nobody else. It books what waits below, unless that may be something else.</p>
            </ActButton>
          )}
          <ActButton
            text="Remove…"
            title="Remove this rule?"
            confirm="Remove the rule"
            run={() => api.post(`/outgoing-rules/${rule.id}/remove`, undefined)}
            changes={changes}
            done="The rule is removed"
          >
            <p>What it has booked stays booked.</p>
          </ActButton>
        </Group>
      )}
      <FieldFacts of={TriedRule} value={rule} without={['id']} />
      <section>
        <h2>The last rows that it is for</h2>
        <Rows rows={rule.rows} />
      </section>
    </>
  )
}

const columns = columnsOf<OutgoingRuleAnswer>(list, [
  { field: 'text', grows: 2, isStrong: true, second: 'payee' },
  { field: 'purpose', second: 'reason', grows: 1 },
  { field: 'requisiteId', name: 'Account', rank: 4 },
  'addedBy',
  'approvedBy',
])

/** Rules that book outgoing money, and what could be one. */
export const OutgoingRules = () => (
  <ListPage<OutgoingRuleAnswer, TriedRule>
    title="Rules for outgoing money"
    list={list}
    columns={columns}
    keyOf={({ id }) => id}
    actions={
      <Button variant="default" component={Link} to="/outgoing">
        Outgoing money
      </Button>
    }
    empty={
      <EmptyState title="No rules yet">
        What you book twice to one purpose, with one text and payee, is suggested here as a rule. Others are added with
        payin outgoing-rules add.
      </EmptyState>
    }
    details={{
      read: oneRule,
      name: 'Rule',
      title: ({ reason }) => reason,
      content: (rule) => <Content rule={rule} />,
    }}
  >
    <Suggestions />
  </ListPage>
)
