import { Button, Select, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type SyntheticEvent, useState } from 'react'
import { paymentMethods } from '../../../../src/rules/values/payment-method.ts'
import { paymentTypes } from '../../../../src/rules/payments/payment.ts'
import type { RequisiteRefusal } from '../../../../src/rules/requisites/requisite.ts'
import type { Explanation } from '../../../../src/operations/allocation.ts'
import { api } from '../../api/client.ts'
import { merchants } from '../../api/merchants.ts'
import { bankIssuers } from '../../api/requisites.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { formatTime } from '../../time.ts'
import { refusalWords } from './requisite-words.ts'
import { typed } from '../../parts/typed.ts'
import './requisites.css'
import { choicesOf, say } from '../../language.ts'

const route = getRouteApi('/inside/requisites/explain')

type Wish = Readonly<
  Record<'merchantId' | 'type' | 'method' | 'currency' | 'amount' | 'bankIssuer', string | undefined>
>

const Form = ({ wish, onAsk }: { readonly wish: Wish; readonly onAsk: (wish: Wish) => void }) => {
  const { data: owners = [] } = useQuery(merchants)
  const { data: banks = [] } = useQuery(bankIssuers)
  const [given, setGiven] = useState(wish)
  const {
    merchantId = owners[0]?.id,
    type = 'direct',
    method = 'sbp',
    currency = 'rub',
    amount = '',
    bankIssuer,
  } = given
  const onSubmit = (event: SyntheticEvent): void => {
    event.preventDefault()
    onAsk({ merchantId, type, method, currency, amount: amount.replace(',', '.'), bankIssuer })
  }
  return (
    <form className="explain-form panel" onSubmit={onSubmit}>
      <Select
        label="Merchant"
        data={owners.map(({ id, name }) => ({ value: id, label: name }))}
        searchable
        value={merchantId ?? null}
        allowDeselect={false}
        onChange={(chosen) => setGiven({ ...given, merchantId: chosen ?? undefined })}
      />
      <TextInput
        label="Amount"
        inputMode="decimal"
        placeholder="5000.37"
        required
        withAsterisk={false}
        pattern="\d{1,13}([.,]\d{1,4})?"
        autoFocus
        {...typed(amount, (changed) => setGiven({ ...given, amount: changed }))}
      />
      <TextInput
        label="Currency"
        w={76}
        pattern="[a-z]{3}"
        value={currency}
        onChange={({ currentTarget }) => setGiven({ ...given, currency: currentTarget.value.toLowerCase() })}
      />
      <Select
        label="Type"
        data={choicesOf(paymentTypes)}
        value={type}
        allowDeselect={false}
        onChange={(chosen) => setGiven({ ...given, type: chosen ?? undefined })}
      />
      <Select
        label="Method"
        data={choicesOf(paymentMethods)}
        value={method}
        allowDeselect={false}
        onChange={(chosen) => setGiven({ ...given, method: chosen ?? undefined })}
      />
      <Select
        label="Bank"
        placeholder="Any"
        data={banks.map(({ code, name }) => ({ value: code, label: name }))}
        value={bankIssuer ?? null}
        searchable
        clearable
        onChange={(chosen) => setGiven({ ...given, bankIssuer: chosen ?? undefined })}
      />
      <Button type="submit" disabled={merchantId === undefined}>
        Explain
      </Button>
    </form>
  )
}

type Verdict = Explanation['verdicts'][number]

const heldOf = ({ held }: Verdict): string => {
  if (held === undefined) return ''
  const payments = held.payments === 1 ? '1 payment holds' : `${held.payments} payments hold`
  return ` ${payments} the amount until ${formatTime(Date.parse(held.until), Date.now())}${held.shared ? '; others that share equal amounts may hold it, too' : ''}.`
}

const whyOf = (verdict: Verdict, isChosen: boolean): string => {
  const { refused, hasOpenPayment, room } = verdict
  if (refused !== undefined) return (refusalWords[refused as RequisiteRefusal] ?? refused) + heldOf(verdict)
  const facts = [
    hasOpenPayment ? 'has an open payment' : 'has no open payment, so money of any amount identifies its payment',
    room === 10 ? 'all of its limits left' : `${room * 10} % of its tightest limit left`,
  ].join(', ')
  return (isChosen ? `It ${facts}.` : `It could be chosen, after the one above: it ${facts}.`) + heldOf(verdict)
}

const Verdicts = ({ explanation: { chosenId, counts, verdicts } }: { readonly explanation: Explanation }) => (
  <>
    <p className="explain-answer">
      {chosenId === undefined
        ? 'No requisite is free for this payment: it would be refused.'
        : `This payment would get the first requisite. ${counts['free'] ?? 0} could take it.`}
    </p>
    <ol className="verdicts panel">
      {verdicts.map((verdict) => {
        const { requisiteId, requisite, number, bankIssuer, method, refused } = verdict
        const isChosen = requisiteId === chosenId
        return (
          <li key={requisiteId} className={isChosen ? 'chosen' : undefined}>
            <Badge tone={isChosen ? 'good' : refused === undefined ? 'live' : 'over'}>
              {isChosen ? 'chosen' : refused === undefined ? 'free' : 'refused'}
            </Badge>
            <Link to="/requisites" search={{ open: requisiteId }} className="cut">
              {requisite?.label ?? `${bankIssuer} ${number}`}
            </Link>
            <span className="quiet cut verdict-method">{say(method)}</span>
            <span>{whyOf(verdict, isChosen)}</span>
          </li>
        )
      })}
    </ol>
    <p className="quiet small">
      All requisites by reason:{' '}
      {Object.entries(counts)
        .toSorted((a, b) => b[1] - a[1])
        .map(([reason, count]) => `${say(reason.replaceAll('-', ' '))} ${count}`)
        .join(' · ')}
    </p>
  </>
)

/** Which requisite a payment would get now, and why the others would not be chosen; asking changes nothing. */
export const Explain = () => {
  const { merchantId, type, method, currency, amount, bankIssuer } = route.useSearch()
  const navigate = useNavigate({ from: '/requisites/explain' })
  const isAsked = [merchantId, method, currency, amount].every(Boolean)
  const { data, error } = useQuery({
    queryKey: ['requisites', 'explain', merchantId, type, method, currency, amount, bankIssuer],
    queryFn: () =>
      api.post<Explanation>('/requisites/explain', {
        ...{ merchantId, method, currency, amount: Number(amount) },
        ...(type === undefined ? {} : { type }),
        ...(bankIssuer === undefined ? {} : { bankIssuer }),
      }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageHead title="Explain an allocation" about="Changes nothing: the same rules as for a real payment">
        <Button variant="default" component={Link} to="/requisites">
          All requisites
        </Button>
      </PageHead>
      <Form
        wish={{ merchantId, type, method, currency, amount, bankIssuer }}
        onAsk={(wish) => void navigate({ search: () => wish, replace: true })}
      />
      {error !== null && <ProblemMessage error={error} />}
      {isAsked && data !== undefined && error === null && <Verdicts explanation={data} />}
      {!isAsked && (
        <EmptyState title="Which requisite would a payment get?">
          Enter an amount to see which requisite would be chosen, and why not each of the others: its state, its limits,
          or another payment of the same amount.
        </EmptyState>
      )}
    </>
  )
}
