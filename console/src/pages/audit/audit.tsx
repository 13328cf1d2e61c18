import './audit.css'
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { audit, type AuditEntryAnswer } from '../../../../src/operations/audit.ts'
import { api } from '../../api/client.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { fromWithin, spans } from '../../table/within.ts'
import { AuditDetails, sayDetails } from './audit-details.tsx'
import { personName } from '../../parts/field-values.tsx'
import { say } from '../../language.ts'

const shorten = (text: string): string => text.replace(/([0-9a-f]{8})-[0-9a-f-]{27}/g, '$1…')

const columns = columnsOf<AuditEntryAnswer>(audit.find, [
  { field: 'at', name: 'When', rank: 560 },
  {
    name: 'Who',
    width: 84,
    grows: 0.8,
    cell: ({ actor, at }) => (
      <>
        <span className="strong">{shorten(personName(actor))}</span>
        <span className="second">
          <Moment at={at} show="relative" />
        </span>
      </>
    ),
  },
  { name: 'Action', width: 130, grows: 1, cell: ({ action }) => <code>{action}</code> },
  {
    name: 'Object',
    width: 120,
    grows: 1.4,
    rank: 620,
    cell: ({ subject }) => <span title={subject}>{shorten(subject)}</span>,
  },
  {
    name: 'Details',
    width: 140,
    grows: 2,
    rank: 900,
    cell: (entry) => <span className="quiet">{shorten(sayDetails(entry))}</span>,
  },
])

type Verified = { readonly isWhole: boolean; readonly broken: readonly number[] }

const VerifyChain = () => {
  const verify = useMutation({ mutationFn: () => api.get<Verified>('/audit/verify') })
  const { data, error, isPending } = verify
  return (
    <>
      {data !== undefined && (
        <span role="status">
          {data.isWhole ? (
            <Badge tone="good">the chain is intact</Badge>
          ) : (
            <Badge tone="bad">{`broken at ${data.broken.slice(0, 3).join(', ')}`}</Badge>
          )}
        </span>
      )}
      {error !== null && <span className="overdue">{say(error.message)}</span>}
      <Button variant="default" loading={isPending} onClick={() => verify.mutate()}>
        Verify the chain
      </Button>
    </>
  )
}

/** What everybody did, with the values before. */
export const Audit = () => (
  <ListPage<AuditEntryAnswer>
    title="Audit"
    list={audit.find}
    columns={columns}
    keyOf={({ sequence }) => String(sequence)}
    filters={[
      { name: 'within', label: 'Any time', options: spans, width: 132 },
      { name: 'actor', label: 'Who: operator:anna', width: 170 },
      { name: 'action', label: 'Action: merchant.', width: 150 },
      { name: 'subject', label: 'Object: member:', width: 170 },
    ]}
    toQuery={fromWithin}
    actions={<VerifyChain />}
    empty={
      <EmptyState title="Nobody has done anything yet">
        Every change by a person and every automatic decision is recorded here, in a chain that shows if an entry was
        changed or removed.
      </EmptyState>
    }
    details={{ title: ({ action }) => action, content: (entry) => <AuditDetails entry={entry} /> }}
  />
)
