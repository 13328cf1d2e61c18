import { Group, Select, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { velocityKinds } from '../../../../src/rules/merchants/risk.ts'
import { risk, type RuleAnswer } from '../../../../src/operations/risk.ts'
import { MerchantField } from '../../parts/merchant-field.tsx'
import { api } from '../../api/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import { formatSpan, parseSpan } from '../../span.ts'
import type { Column } from '../../table/data-table.tsx'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { RiskTabs } from './risk-tabs.tsx'
import { amountPattern } from '../../money.ts'
import { typedInto } from '../../parts/typed.ts'
import { choicesOf, say } from '../../language.ts'

const { limits } = risk.operations

const emptyRule = {
  kind: 'user' as (typeof velocityKinds)[number],
  merchantId: null as string | null,
  window: '1d',
  maxCount: '',
  maxAmount: '',
  currency: '',
  reason: '',
}

/** The rule as the API takes it; undefined while something is missing or wrong. */
const bodyOf = ({ kind, merchantId, window, maxCount, maxAmount, currency, reason }: typeof emptyRule) => {
  const windowMs = parseSpan(window)
  const hasCount = /^[1-9]\d{0,6}$/.test(maxCount)
  const hasAmount = /^[a-z]{3}$/.test(currency) && amountPattern(currency).test(maxAmount) && Number(maxAmount) > 0
  const isWrong = (maxCount !== '' && !hasCount) || ((maxAmount !== '' || currency !== '') && !hasAmount)
  if (windowMs === undefined || isWrong || (!hasCount && !hasAmount) || reason.trim() === '') return undefined
  return {
    ...{ kind, windowMs, reason: reason.trim() },
    ...(merchantId === null ? {} : { merchantId }),
    ...(hasCount ? { maxCount: Number(maxCount) } : {}),
    ...(hasAmount ? { maxAmount: Number(maxAmount), currency } : {}),
  }
}

const AddRule = () => {
  const [given, setGiven] = useState(emptyRule)
  const body = bodyOf(given)
  const field = typedInto(given, setGiven)
  return (
    <ActButton
      text="Add a limit…"
      variant="filled"
      title="Limit what one payer pays"
      confirm="Add the limit"
      isReady={body !== undefined}
      run={() => api.post('/risk/rules', body)}
      changes={['rules']}
      done="The limit is in force"
      onOpen={() => setGiven(emptyRule)}
    >
      <p>
        Payments count from now on, however they end. Payers who exceed the limit are refused; money that has come is
        flagged.
      </p>
      <Group grow>
        <Select
          label="One"
          data={choicesOf(velocityKinds)}
          value={given.kind}
          onChange={(kind) => setGiven({ ...given, kind: kind ?? 'user' })}
          allowDeselect={false}
        />
        <MerchantField
          label="At"
          placeholder="All merchants together"
          value={given.merchantId}
          onChange={(merchantId) => setGiven({ ...given, merchantId })}
          clearable
        />
      </Group>
      <Group grow align="start">
        <TextInput label="Payments at most" inputMode="numeric" {...field('maxCount')} />
        <TextInput label="Within" description="Such as 1h or 1d" {...field('window')} />
      </Group>
      <Group grow>
        <TextInput label="And an amount at most" inputMode="decimal" {...field('maxAmount')} />
        <TextInput label="Currency" placeholder="rub" {...field('currency')} />
      </Group>
      <Textarea label="Reason" maxLength={500} autosize {...field('reason')} />
    </ActButton>
  )
}

const End = ({ rule }: { readonly rule: RuleAnswer }) => (
  <ActButton
    text="End…"
    title="End this limit?"
    confirm="End the limit"
    run={() => api.post(`/risk/rules/${rule.id}/end`, undefined)}
    changes={['rules']}
    done="The limit has ended"
  >
    <p>It no longer applies to payers. A limit that you add later counts only from then on.</p>
  </ActButton>
)

const columns = columnsOf<RuleAnswer>(limits, [
  {
    name: 'Limit',
    width: 140,
    grows: 1.4,
    cell: ({ kind, windowMs, maxCount, maxAmount, currency, merchantName }) => (
      <>
        <span className="strong">
          {maxCount !== undefined && (maxCount === 1 ? '1 payment ' : `${maxCount} payments `)}
          {maxAmount !== undefined && currency !== undefined && <MoneyText amount={maxAmount} currency={currency} />} in{' '}
          {formatSpan(windowMs)}
        </span>
        <span className="second">
          of one {say(kind)}, at {merchantName ?? 'all merchants'}
        </span>
      </>
    ),
  },
  { field: 'reason', name: 'Reason', grows: 2, rank: 2 },
  { field: 'createdBy', name: 'By', rank: 3 },
  {
    ...{ name: 'State', width: 96, rank: 1 },
    cell: ({ endedAt }) =>
      endedAt === undefined ? <Badge tone="good">in force</Badge> : <Badge tone="over">ended</Badge>,
  },
])

const end: Column<RuleAnswer> = {
  ...({ name: 'Do', width: 76, align: 'end' } as const),
  cell: (rule) => rule.endedAt === undefined && <End rule={rule} />,
}

/** Velocity rules: how much one payer may pay. */
export const RiskRules = () => {
  const mayChange = useMay('configure')
  return (
    <ListPage<RuleAnswer>
      title="Risk"
      list={limits}
      columns={mayChange ? [...columns, end] : columns}
      keyOf={({ id }) => id}
      actions={mayChange && <AddRule />}
      foot=""
      empty={
        <EmptyState title="Payers have no limits">
          A limit allows one payer a number of payments, or an amount, in any window of time. It holds however many
          requests come at the same time.
        </EmptyState>
      }
      tabs={<RiskTabs />}
    />
  )
}
