import './statements.css'
import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { formats, formatList } from 'bank-files/pure'
import { type StatementAnswer, statements } from '../../../../src/operations/statements.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { useMay } from '../../session.ts'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { ImportReady } from './import-ready.tsx'
import { SimulatedBank } from './simulated-bank.tsx'
import { ChooseFiles, UploadList, useFollowed } from './upload-list.tsx'
import { language } from '../../language.ts'

const { list } = statements.operations

const accountsOf = ({ accounts }: StatementAnswer): string => {
  const [first, ...others] = accounts
  if (first === undefined) return ''
  return `${first.requisite?.label ?? first.requisite?.bankIssuer ?? ''} ${first.number}${others.length > 0 ? ` and ${others.length} more` : ''}`
}

const count = (name: string, of: keyof StatementAnswer['counts'], rank: number, tone = '', width = 64) => ({
  ...({ name, width, align: 'end', rank } as const),
  cell: ({ counts }: StatementAnswer) => (
    <span className={counts[of] === 0 ? 'quiet figures' : `figures ${tone}`}>
      {counts[of].toLocaleString(language)}
    </span>
  ),
})

const sum = (name: string, of: 'credits' | 'debits', rank: number) => ({
  ...({ name, width: 140, align: 'end', rank } as const),
  cell: ({ accounts: [first] }: StatementAnswer) => first && <MoneyText amount={first[of]} currency={first.currency} />,
})

const columns = columnsOf<StatementAnswer>(list, [
  {
    field: 'fileName',
    name: 'File',
    grows: 1.6,
    isStrong: true,
    second: ({ format }) => format && formats[format].label,
  },
  { name: 'Account', width: 120, grows: 1, rank: 4, cell: accountsOf },
  { field: 'state', rank: 0 },
  count('Rows', 'rows', 1),
  count('New', 'new', 3),
  count('Known', 'alreadyKnown', 3),
  count('Duplicates?', 'possibleDuplicates', 5, 'text-wait', 92),
  count('Faults', 'errors', 6, 'refused'),
  sum('Money in', 'credits', 7),
  sum('Money out', 'debits', 8),
  { field: 'uploadedAt', name: 'Uploaded', width: 130, rank: 2, second: 'uploadedBy' },
])

/** Bank files: drop one, check its preview, import it; and the earlier ones. */
export const Statements = () => {
  const mayUpload = useMay('reconcile')
  const navigate = useNavigate()
  useFollowed()
  return (
    <ListPage<StatementAnswer>
      title="Statements"
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: '/statements/$id', params: { id } })}
      actions={
        <>
          <Button variant="default" component={Link} to="/sources">
            Sources
          </Button>
          <SimulatedBank />
          {mayUpload && (
            <>
              <ImportReady />
              <ChooseFiles />
            </>
          )}
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
