import { Link } from '@tanstack/react-router'
import { lastDay } from '../../api/transfers.ts'
import { useLiveQuery } from '../../live.ts'
import { Difference } from '../reconciliation/difference.tsx'

/** How much more the bank has than the ledger on its last closed day: always visible, green at zero. */
export const BankDifference = ({ requisiteId }: { readonly requisiteId: string }) => {
  const { data } = useLiveQuery(lastDay(requisiteId))
  if (data === undefined) return null
  if (data === null) return <span className="quiet small">The bank has closed no day of this account yet.</span>
  return (
    <Link
      className="head-difference"
      to="/reconciliation"
      search={{ requisiteId, open: `${requisiteId}/${data.day}` }}
      title={`${data.requisite?.label ?? data.requisite?.number ?? ''}: what the bank has more than the ledger at the end of ${data.day}`}
    >
      <span className="quiet small">Bank less ledger, {data.day}</span>
      <Difference amount={data.difference} even={data.even} currency={data.currency} />
    </Link>
  )
}
