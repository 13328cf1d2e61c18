import './settlements.css'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { settlementStatuses } from '../../../../src/rules/money/settlement.ts'
import type { SettlementAnswer } from '../../../../src/operations/settlements.ts'
import { merchants } from '../../api/merchants.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { modeFilter } from '../../parts/mode-choice.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { useMay } from '../../session.ts'
import type { Column } from '../../table/data-table.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { DraftSettlement } from './draft-settlement.tsx'
import { SettlementBadge } from './settlement-badge.tsx'
import { SettlementDrawer } from './settlement-drawer.tsx'

const keyOf = ({ merchantId, id }: SettlementAnswer): string => `${merchantId}/${id}`

const nextOf = ({ status, secondPerson, draftedBy }: SettlementAnswer): string => {
  if (status === 'approved') return 'pay it out'
  if (status !== 'draft') return ''
  return secondPerson ? `approve: not ${draftedBy.replace('operator:', '')}` : 'approve'
}

const columns: readonly Column<SettlementAnswer>[] = [
  {
    name: 'Reference',
    width: 'minmax(100px, 1fr)',
    cell: ({ reference, merchantName }) => (
      <>
        <span className="strong">{reference}</span>
        <span className="second">{merchantName}</span>
      </>
    ),
  },
  {
    name: 'Amount',
    width: '150px',
    align: 'end',
    cell: ({ amount, currency, status }) => (
      <>
        <MoneyText amount={amount} currency={currency} inColumn />
        <span className="second narrow-only">{status}</span>
      </>
    ),
  },
  { name: 'Status', width: '100px', from: 460, cell: ({ status }) => <SettlementBadge status={status} /> },
  {
    name: 'Next',
    width: '150px',
    from: 640,
    cell: (settlement) => <span className="quiet">{nextOf(settlement)}</span>,
  },
  { name: 'Goes to', width: 'minmax(120px, 1.4fr)', from: 800, cell: ({ destination }) => destination },
  {
    name: 'Drafted',
    width: '130px',
    from: 980,
    cell: ({ createdAt, draftedBy }) => (
      <>
        <Moment at={createdAt} />
        <span className="second">{draftedBy.replace('operator:', 'by ')}</span>
      </>
    ),
  },
  {
    name: 'Approved by',
    width: '110px',
    from: 1100,
    cell: ({ approvedBy = '' }) => approvedBy.replace('operator:', ''),
  },
]

/** Payouts to merchants: drafted, approved (large ones by a second person), paid. */
export const Settlements = () => {
  const mayDraft = useMay('account')
  const navigate = useNavigate()
  const { data = [] } = useQuery(merchants)
  return (
    <ListPage<SettlementAnswer>
      title="Settlements"
      path="/settlements"
      rowsName="settlements"
      columns={columns}
      keyOf={keyOf}
      filters={[
        modeFilter,
        { name: 'status', label: 'Any status', options: settlementStatuses, width: 130 },
        {
          name: 'merchantId',
          label: 'Any merchant',
          options: data.map(({ id, name }) => ({ value: id, label: name })),
          searchable: true,
          width: 180,
        },
      ]}
      actions={
        mayDraft && (
          <DraftSettlement
            onDrafted={(drafted) => void navigate({ to: '.', search: () => ({ open: keyOf(drafted) }) })}
          />
        )
      }
      empty={
        <EmptyState title="No settlements yet">
          Settlements pay out what merchants are owed: a draft holds the amount, somebody approves it (above a limit, a
          second person), and whoever sends the money records it as paid.
        </EmptyState>
      }
      drawer={(open, onClose) => <SettlementDrawer of={open} onClose={onClose} />}
    />
  )
}
