import './settlements.css'
import { useNavigate } from '@tanstack/react-router'
import {
  type SettlementAnswer,
  type SettlementWithEvents,
  settlements,
} from '../../../../src/operations/settlements.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { useMay } from '../../session.ts'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { DraftSettlement } from './draft-settlement.tsx'
import { settlementDetails } from './settlement-drawer.tsx'
import { personName } from '../../parts/field-values.tsx'
import { say } from '../../language.ts'

const keyOf = ({ merchantId, id }: SettlementAnswer): string => `${merchantId}/${id}`

const nextOf = ({ status, secondPerson, draftedBy }: SettlementAnswer): string => {
  if (status === 'approved') return 'pay it out'
  if (status !== 'draft' && status !== 'requested') return ''
  return secondPerson && draftedBy !== undefined ? `approve: not ${personName(draftedBy)}` : say('approve')
}

const { list } = settlements.operations

const columns = columnsOf<SettlementAnswer>(list, [
  { field: 'reference', isStrong: true, second: 'merchantName' },
  { field: 'amount', rank: 0, whenNarrow: 'status' },
  'status',
  { name: 'Next', width: 150, cell: (settlement) => <span className="quiet">{nextOf(settlement)}</span> },
  { field: 'destination', name: 'Goes to' },
  { field: 'createdAt', name: 'Begun', second: 'draftedBy' },
  'approvedBy',
  { field: 'unproven', rank: 5 },
])

/** Payouts to merchants: asked for or drafted, approved (large ones by a second person), paid. */
export const Settlements = () => {
  const mayDraft = useMay('account')
  const navigate = useNavigate()
  return (
    <ListPage<SettlementAnswer, SettlementWithEvents>
      title="Settlements"
      list={list}
      columns={columns}
      keyOf={keyOf}
      filters={['mode', 'status', 'merchantId']}
      actions={
        mayDraft && (
          <DraftSettlement
            onDrafted={(drafted) => void navigate({ to: '.', search: () => ({ open: keyOf(drafted) }) })}
          />
        )
      }
      empty={
        <EmptyState title="No settlements yet">
          Settlements pay out what merchants are owed: a merchant asks for one or you draft it, which holds the amount;
          somebody approves it (above a limit, a second person); the bank's debit or whoever sends the money proves that
          it is paid.
        </EmptyState>
      }
      details={settlementDetails}
    />
  )
}
