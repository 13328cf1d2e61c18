import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { TransferDetails } from '../../../src/operations/inbox.ts'
import { transferDetails } from '../api/transfers.ts'
import { useMay } from '../session.ts'

/** The rows of files that reported a transfer, as ways to them. */
export const ReportedBy = ({ statements }: Pick<TransferDetails, 'statements'>) =>
  statements.map(({ statementId, fileName, line }) => (
    <Link key={`${statementId} ${line}`} to="/statements/$id" params={{ id: statementId }} search={{}}>
      {fileName}, line {line}
    </Link>
  ))

/** The same of the transfer with a key, for operators. */
export const ReportedByOf = ({ transfer }: { readonly transfer: string }) => {
  const { data } = useQuery({ ...transferDetails(transfer), enabled: useMay('read') })
  if (data === undefined || data.statements.length === 0) return null
  return (
    <>
      {' '}
      · <ReportedBy statements={data.statements} />
    </>
  )
}
