import { Select, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type PayerKind, payerKinds } from '../../../../src/rules/merchants/risk.ts'
import type { BlockAnswer } from '../../../../src/operations/risk.ts'
import { api } from '../../api/client.ts'
import { merchants } from '../../api/merchants.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import { parseSpan } from '../../span.ts'
import type { Column } from '../../table/data-table.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { RiskTabs } from './risk-tabs.tsx'

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
  const { data = [] } = useQuery(merchants)
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
        data={payerKinds.map((each) => ({ value: each, label: each }))}
        value={kind}
        onChange={(chosen) => setGiven({ ...given, kind: chosen ?? 'phone' })}
        allowDeselect={false}
      />
      <TextInput
        label={kind === 'user' ? 'userId' : 'Number'}
        description="Stored sealed, and only shown masked"
        value={value}
        autoComplete="off"
        onChange={(event) => setGiven({ ...given, value: event.currentTarget.value })}
      />
      <Select
        label="At"
        placeholder="Every merchant"
        data={data.map(({ id, name }) => ({ value: id, label: name }))}
        value={merchantId}
        onChange={(chosen) => setGiven({ ...given, merchantId: chosen })}
        clearable
        searchable
      />
      <TextInput
        label="For"
        description="Such as 12h or 30d; empty: until somebody lifts it"
        value={until}
        error={until !== '' && span === undefined}
        onChange={(event) => setGiven({ ...given, until: event.currentTarget.value })}
      />
      <Textarea
        label="Why"
        value={reason}
        maxLength={500}
        autosize
        onChange={(event) => setGiven({ ...given, reason: event.currentTarget.value })}
      />
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

const columnsFor = (mayDecide: boolean): readonly Column<BlockAnswer>[] => [
  {
    name: 'Payer',
    width: 120,
    grows: 1.2,
    cell: ({ kind, value, merchantName }) => (
      <>
        <span className="strong figures">{value}</span>
        <span className="second">
          {kind}, at {merchantName ?? 'every merchant'}
        </span>
      </>
    ),
  },
  { name: 'Why', width: 120, grows: 2, rank: 560, cell: ({ reason }) => reason },
  {
    name: 'By',
    width: 90,
    grows: 0.8,
    rank: 820,
    cell: ({ createdBy, createdAt }) => (
      <>
        {createdBy.replace('operator:', '')}
        <span className="second">
          <Moment at={createdAt} />
        </span>
      </>
    ),
  },
  {
    name: 'Until',
    width: 100,
    rank: 680,
    cell: ({ endsAt }) => (endsAt === undefined ? <span className="quiet">lifted</span> : <Moment at={endsAt} />),
  },
  {
    name: 'State',
    width: 96,
    rank: 480,
    cell: (block) => (isOver(block) ? <Badge tone="over">over</Badge> : <Badge tone="bad">blocked</Badge>),
  },
  ...(mayDecide
    ? [
        {
          name: 'Do',
          width: 76,
          align: 'end' as const,
          cell: (block: BlockAnswer) => !isOver(block) && <Lift block={block} />,
        },
      ]
    : []),
]

/** Payers who are refused. */
export const RiskBlocks = () => {
  const mayDecide = useMay('decide')
  return (
    <ListPage<BlockAnswer>
      title="Risk"
      path="/risk/blocks"
      rowsName="blocks"
      columns={columnsFor(mayDecide)}
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
