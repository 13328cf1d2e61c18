import { Select, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type PayerKind, payerKinds } from '../../../../src/rules/merchants/risk.ts'
import { type BlockAnswer, risk } from '../../../../src/operations/risk.ts'
import { MerchantField } from '../../parts/merchant-field.tsx'
import { api } from '../../api/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import { parseSpan } from '../../span.ts'
import type { Column } from '../../table/data-table.tsx'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { RiskTabs } from './risk-tabs.tsx'
import { typedInto } from '../../parts/typed.ts'
import { choicesOf, say } from '../../language.ts'

const { blocks } = risk.operations

const abouts: Readonly<Record<PayerKind, string>> = {
  user: 'The merchant’s userId; needs a merchant. New payments fail immediately.',
  phone: 'With its country code. The payment fails when the payer enters it.',
  account: 'Money from it is credited and flagged.',
  card: 'Money from it is credited and flagged.',
}

const isOver = ({ endedAt, endsAt }: BlockAnswer): boolean =>
  endedAt !== undefined || (endsAt !== undefined && Date.parse(endsAt) <= Date.now())

const AddBlock = () => {
  const empty = { kind: 'phone' as PayerKind, value: '', merchantId: null as string | null, reason: '', until: '' }
  const [given, setGiven] = useState(empty)
  const field = typedInto(given, setGiven)
  const { kind, value, merchantId, reason, until } = given
  const span = parseSpan(until)
  const isReady =
    value.trim() !== '' &&
    reason.trim() !== '' &&
    (kind !== 'user' || merchantId !== null) &&
    (until === '' || span !== undefined)
  return (
    <ActButton
      text="Block a payer…"
      variant="filled"
      title="Block a payer"
      confirm="Block the payer"
      isReady={isReady}
      isGrave
      run={() =>
        api.post('/risk/blocks', {
          ...{ kind, value: value.trim(), reason: reason.trim() },
          ...(merchantId === null ? {} : { merchantId }),
          ...(span === undefined ? {} : { endsAt: new Date(Date.now() + span).toISOString() }),
        })
      }
      changes={['blocks']}
      done="The payer is blocked"
      onOpen={() => setGiven(empty)}
    >
      <Select
        label="By"
        description={abouts[kind]}
        data={choicesOf(payerKinds)}
        value={kind}
        onChange={(chosen) => setGiven({ ...given, kind: chosen ?? 'phone' })}
        allowDeselect={false}
      />
      <TextInput
        label={kind === 'user' ? 'userId' : 'Number'}
        description="Stored sealed, and only shown masked"
        autoComplete="off"
        {...field('value')}
      />
      <MerchantField
        label="At"
        placeholder="Every merchant"
        value={merchantId}
        onChange={(chosen) => setGiven({ ...given, merchantId: chosen })}
        clearable
      />
      <TextInput
        label="For"
        description="Such as 12h or 30d; empty: until somebody lifts it"
        error={until !== '' && span === undefined}
        {...field('until')}
      />
      <Textarea label="Reason" maxLength={500} autosize {...field('reason')} />
    </ActButton>
  )
}

const Lift = ({ block }: { readonly block: BlockAnswer }) => (
  <ActButton
    text="Lift…"
    title={`Lift the block of ${block.value}?`}
    confirm="Lift the block"
    run={() => api.post(`/risk/blocks/${block.id}/end`, undefined)}
    changes={['blocks']}
    done="The block is lifted"
  >
    <p>New payments of this payer are accepted again immediately.</p>
  </ActButton>
)

const columns = columnsOf<BlockAnswer>(blocks, [
  {
    ...({ field: 'value', name: 'Payer', width: 120, isStrong: true } as const),
    second: ({ kind, merchantName = 'every merchant' }) => `${say(kind)}, at ${merchantName}`,
  },
  { field: 'reason', name: 'Reason', grows: 2, rank: 2 },
  { field: 'createdBy', name: 'By', grows: 0.8, rank: 4, second: 'createdAt' },
  {
    ...{ name: 'Until', width: 112, rank: 3 },
    cell: ({ endsAt, endedAt = endsAt }) =>
      endedAt === undefined ? <span className="quiet">lifted</span> : <Moment at={endedAt} />,
  },
  {
    ...{ name: 'State', width: 96, rank: 1 },
    cell: (block) => (isOver(block) ? <Badge tone="over">over</Badge> : <Badge tone="bad">blocked</Badge>),
  },
])

const lift: Column<BlockAnswer> = {
  ...({ name: 'Do', width: 76, align: 'end' } as const),
  cell: (block) => !isOver(block) && <Lift block={block} />,
}

/** Payers who are refused. */
export const RiskBlocks = () => {
  const mayDecide = useMay('decide')
  return (
    <ListPage<BlockAnswer>
      title="Risk"
      list={blocks}
      columns={mayDecide ? [...columns, lift] : columns}
      keyOf={({ id }) => id}
      actions={mayDecide && <AddBlock />}
      foot=""
      empty={
        <EmptyState title="Nobody is blocked">
          Block a payer by the merchant’s userId, a phone, an account or a card. The block takes effect immediately, and
          on the other nodes within a second.
        </EmptyState>
      }
      tabs={<RiskTabs />}
    />
  )
}
