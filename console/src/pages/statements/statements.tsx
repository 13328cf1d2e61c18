import './statements.css'
import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { formats, formatList } from 'bank-files/pure'
import type { StatementAnswer } from '../../../../src/operations/statements.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { useMay } from '../../session.ts'
import type { Column } from '../../table/data-table.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { SimulatedBank } from './simulated-bank.tsx'
import { StatementBadge } from './statement-badge.tsx'
import { ChooseFiles, UploadList, useFollowed } from './upload-list.tsx'

const Count = ({ of, tone }: { readonly of: number; readonly tone?: string }) => (
  <span className={of === 0 ? 'quiet figures' : `figures ${tone ?? ''}`}>{of.toLocaleString('en')}</span>
)

const accountsOf = ({ accounts }: StatementAnswer): string => {
  const [first, ...others] = accounts
  if (first === undefined) return ''
  return `${first.requisite?.label ?? first.requisite?.bankIssuer ?? ''} ${first.number}${others.length > 0 ? ` and ${others.length} more` : ''}`
}

const columns: readonly Column<StatementAnswer>[] = [
  {
    name: 'File',
    width: 140,
    grows: 1.6,
    cell: ({ fileName, format }) => (
      <>
        <span className="strong">{fileName}</span>
        <span className="second">{format && formats[format].label}</span>
      </>
    ),
  },
  { name: 'Account', width: 120, grows: 1, rank: 820, cell: accountsOf },
  { name: 'State', width: 104, cell: ({ state }) => <StatementBadge state={state} /> },
  { name: 'Rows', width: 60, align: 'end', rank: 420, cell: ({ counts }) => <Count of={counts.rows} /> },
  { name: 'New', width: 60, align: 'end', rank: 680, cell: ({ counts }) => <Count of={counts.new} /> },
  { name: 'Known', width: 60, align: 'end', rank: 680, cell: ({ counts }) => <Count of={counts.alreadyKnown} /> },
  {
    name: 'Duplicates?',
    width: 92,
    align: 'end',
    rank: 920,
    cell: ({ counts }) => <Count of={counts.possibleDuplicates} tone="text-wait" />,
  },
  {
    name: 'Faults',
    width: 64,
    align: 'end',
    rank: 1000,
    cell: ({ counts }) => <Count of={counts.errors} tone="refused" />,
  },
  {
    name: 'Money in',
    width: 140,
    align: 'end',
    rank: 1160,
    cell: ({ accounts: [first] }) => first && <MoneyText amount={first.credits} currency={first.currency} />,
  },
  {
    name: 'Money out',
    width: 140,
    align: 'end',
    rank: 1320,
    cell: ({ accounts: [first] }) => first && <MoneyText amount={first.debits} currency={first.currency} />,
  },
  {
    name: 'Uploaded',
    width: 130,
    rank: 530,
    cell: ({ uploadedAt, uploadedBy }) => (
      <>
        <Moment at={uploadedAt} />
        <span className="second">{uploadedBy.replace('operator:', 'by ')}</span>
      </>
    ),
  },
]

/** Bank files: drop one, check its preview, import it; and the earlier ones. */
export const Statements = () => {
  const mayUpload = useMay('reconcile')
  const navigate = useNavigate()
  useFollowed()
  return (
    <ListPage<StatementAnswer>
      title="Statements"
      path="/statements"
      rowsName="statements"
      columns={columns}
      keyOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: '/statements/$id', params: { id } })}
      actions={
        <>
          <Button variant="default" component={Link} to="/sources">
            Sources
          </Button>
          <SimulatedBank />
          {mayUpload && <ChooseFiles />}
        </>
      }
      empty={
        <EmptyState title="No statements yet">
          {mayUpload
            ? 'Drop a file of your bank on this page, or choose one above: '
            : 'Files of banks are shown here: '}
          {formatList}. Its format, encoding and account are recognised, and nothing moves before you have seen the
          preview.
        </EmptyState>
      }
      foot="Drop a file anywhere on this page"
    >
      <UploadList />
    </ListPage>
  )
}
